// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the process that a guest runs in.
#include "models/guest/guest_process.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "models/common/error.h"

namespace tlmssd::guest {

namespace {

constexpr int kNotRun = 127;

/// In the child: never returns.
[[noreturn]] void execute(const ProcessOptions& o, std::vector<std::string>& words)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (o.fixed_addresses) {
        personality(ADDR_NO_RANDOMIZE);
    }
    const int input = open(o.input.empty() ? "/dev/null" : o.input.c_str(), O_RDONLY);
    const int output = o.console.empty() ? STDOUT_FILENO : open(o.console.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (input < 0 || output < 0 || chdir(o.folder.c_str()) != 0) {
        _exit(kNotRun);
    }
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    for (const int fd : o.inherited) {
        fcntl(fd, F_SETFD, 0);
    }
    setpgid(0, 0); // a Ctrl-C is for the simulator
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    char home[] = "HOME=.", term[] = "TERM=linux", path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    char* environment[] = {home, term, path, nullptr};
    execve(argv[0], argv.data(), environment);
    _exit(kNotRun);
}

} // namespace

GuestProcess::GuestProcess(const ProcessOptions& options)
{
    std::vector<std::string> words = options.words;
    if (access(words[0].c_str(), X_OK) != 0) {
        throw InputError(words[0] + ": " + std::strerror(errno) + ": " + options.install);
    }
    pid_ = fork();
    if (pid_ < 0) {
        throw InputError(words[0] + ": " + std::strerror(errno));
    }
    if (pid_ == 0) {
        execute(options, words);
    }
}

GuestProcess::~GuestProcess()
{
    if (!ended()) {
        wait_for(0);
    }
}

std::optional<int> GuestProcess::ended()
{
    int status = 0;
    if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) {
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return status_;
}

int GuestProcess::wait_for(u32 seconds)
{
    constexpr timespec kTick{0, 10'000'000};
    for (u32 ticks = 0; ticks < 100 * seconds && !ended(); ++ticks) {
        nanosleep(&kTick, nullptr);
    }
    if (!ended()) { // SIGTERM may hang User-Mode Linux, or end in a panic inside of a call of the calendar
        kill(-pid_, SIGKILL);
        kill(pid_, SIGKILL);
        int status = 0;
        waitpid(pid_, &status, 0);
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return *status_;
}

} // namespace tlmssd::guest
