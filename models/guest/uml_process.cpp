// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the process of a User-Mode Linux kernel.
#include "models/guest/uml_process.h"

#include <fcntl.h>
#include <sys/personality.h>
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

std::vector<std::string> command_line(const UmlOptions& o)
{
    // The device number has to be that of the kernel's configuration.
    std::vector<std::string> words{o.kernel, "mem=" + o.memory, "root=none", "rootfstype=hostfs", "rootflags=/", "ro",
                                   "init=" + o.init, "con=none", "ssl=none", "con0=fd:0,fd:1", "umid=tlmssd",
                                   "time-travel=ext:" + o.calendar, "virtio_uml.device=" + o.device + ":1234"};
    words.insert(words.end(), o.append.begin(), o.append.end());
    return words;
}

/// In the child: never returns.
[[noreturn]] void execute(const UmlOptions& o, std::vector<std::string>& words)
{
    // Addresses of its own at random would make memory sizes, and so the run, differ.
    personality(ADDR_NO_RANDOMIZE);
    const int input = open("/dev/null", O_RDONLY);
    const int output = o.console.empty() ? STDOUT_FILENO : open(o.console.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (input < 0 || output < 0 || chdir(o.folder.c_str()) != 0) {
        _exit(kNotRun);
    }
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
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

UmlProcess::UmlProcess(const UmlOptions& options)
{
    if (access(options.kernel.c_str(), X_OK) != 0) {
        throw InputError(options.kernel + ": " + std::strerror(errno) + ": scripts/setup --for linux builds the kernel");
    }
    std::vector<std::string> words = command_line(options);
    pid_ = fork();
    if (pid_ < 0) {
        throw InputError(options.kernel + ": " + std::strerror(errno));
    }
    if (pid_ == 0) {
        execute(options, words);
    }
}

UmlProcess::~UmlProcess()
{
    if (!ended()) {
        wait_for(0);
    }
}

std::optional<int> UmlProcess::ended()
{
    int status = 0;
    if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) {
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return status_;
}

int UmlProcess::wait_for(u32 seconds)
{
    constexpr timespec kTick{0, 10'000'000};
    for (u32 ticks = 0; ticks < 100 * seconds && !ended(); ++ticks) {
        nanosleep(&kTick, nullptr);
    }
    if (!ended()) { // SIGTERM may hang or end in a panic inside of a call of the calendar
        kill(-pid_, SIGKILL);
        kill(pid_, SIGKILL);
        int status = 0;
        waitpid(pid_, &status, 0);
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return *status_;
}

} // namespace tlmssd::guest
