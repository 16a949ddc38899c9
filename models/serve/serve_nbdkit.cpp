// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: starting and ending nbdkit.
#include "models/serve/serve_nbdkit.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <vector>

#include "models/common/error.h"

namespace tlmssd::serve {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPlugin = "tlmssd_nbdkit.so";
constexpr u32 kPatienceMs = 5000;

std::string find_plugin()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* const folder : {".", "../lib"}) {
        const fs::path candidate = program / folder / kPlugin;
        if (fs::exists(candidate, error)) {
            return candidate.lexically_normal().string();
        }
    }
    throw InputError("serve: " + std::string(kPlugin) +
                     " was not built: install nbdkit-plugin-dev (scripts/setup --for test) and build again");
}

void require_program()
{
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (access((folder + "/nbdkit").c_str(), X_OK) == 0) {
            return;
        }
    }
    throw InputError("serve: nbdkit is not installed: apt-get install nbdkit (scripts/setup --for test)");
}

sockaddr_un address_of(const std::string& socket)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.empty() || socket.size() >= sizeof address.sun_path) {
        throw InputError("--socket " + socket + ": a path of 1 to " +
                         std::to_string(sizeof address.sun_path - 1) + " bytes");
    }
    std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
    return address;
}

bool somebody_listens(const std::string& socket)
{
    const sockaddr_un address = address_of(socket);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool heard = fd >= 0 && connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(fd);
    return heard;
}

/// Left behind by one that was killed.
void remove_stale(const std::string& socket)
{
    struct stat facts {};
    if (lstat(socket.c_str(), &facts) != 0) {
        return;
    }
    if (!S_ISSOCK(facts.st_mode)) {
        throw InputError("--socket " + socket + ": there is a file of this name that is no socket");
    }
    if (somebody_listens(socket)) {
        throw InputError("--socket " + socket + ": somebody listens there already");
    }
    unlink(socket.c_str());
}

} // namespace

Nbdkit::Nbdkit(std::string socket, ServeMemory& memory, u32 threads)
    : socket_(std::move(socket)), plugin_(find_plugin()), memory_(memory), threads_(threads)
{
    require_program();
    address_of(socket_);
    const fs::path folder = fs::path(socket_).parent_path();
    std::error_code error;
    if (!folder.empty() && !fs::is_directory(folder, error)) {
        throw InputError("--socket " + socket_ + ": there is no folder " + folder.string());
    }
    remove_stale(socket_);
}

Nbdkit::~Nbdkit()
{
    if (!started()) {
        return;
    }
    terminate();
    for (u32 waited = 0; !ended() && waited < kPatienceMs; ++waited) {
        usleep(1000);
    }
    if (!ended()) {
        ::kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    close(alive_);
    unlink(socket_.c_str());
}

/// `life`: a pipe whose other end closes with this process, which is a cut of the supply if it is killed.
void Nbdkit::become_nbdkit(int life) const
{
    setpgid(0, 0); // Ctrl-C is for the simulator, which ends this one in order
    const std::vector<std::string> words{"nbdkit", "-f", "-U", socket_, "-t", std::to_string(threads_),
                                         plugin_, "ring=" + std::to_string(memory_.descriptor()), "life=" + std::to_string(life)};
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    execvp("nbdkit", arguments.data());
    _exit(127);
}

void Nbdkit::start()
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw ModelError(std::string("serve: pipe: ") + std::strerror(errno));
    }
    alive_ = ends[1];
    process_ = fork();
    if (process_ < 0) {
        throw ModelError(std::string("serve: fork: ") + std::strerror(errno));
    }
    if (process_ == 0) {
        fcntl(ends[0], F_SETFD, 0);
        become_nbdkit(ends[0]);
    }
    close(ends[0]);
    for (u32 waited = 0; waited < kPatienceMs; waited += 5) {
        if (const std::optional<int> status = ended()) {
            throw InputError("serve: nbdkit ended with status " + std::to_string(*status) +
                             " before anybody could connect (what it said is above)");
        }
        if (__atomic_load_n(&memory_.ring().ready, __ATOMIC_ACQUIRE) != 0) {
            return;
        }
        usleep(5000);
    }
    throw InputError("serve: nbdkit does not listen on " + socket_);
}

void Nbdkit::terminate()
{
    if (started() && !ended()) {
        ::kill(process_, SIGTERM);
    }
}

void Nbdkit::kill()
{
    if (started() && !ended()) {
        ::kill(process_, SIGKILL);
    }
}

std::optional<int> Nbdkit::ended()
{
    int status = 0;
    if (!status_ && started() && waitpid(process_, &status, WNOHANG) == process_) {
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return status_;
}

} // namespace tlmssd::serve
