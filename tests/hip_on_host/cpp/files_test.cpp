// Folders that are the user's alone, with all folders above them: code that is loaded from there runs as the user.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "check.h"
#include "common/files.h"

namespace {

constexpr uid_t kUser = 12345, kOther = 12346;

// A folder with `above/home/cache` in it, all owned by an ordinary user, whose identity this process takes.
struct Home {
    Home() {
        char name[] = "/tmp/cuda-shim-files-XXXXXX";
        if (!mkdtemp(name)) abort();
        root = name;
        above = root + "/above";
        cache = above + "/home/cache";
        chmod(root.c_str(), 0755);
        for (const std::string& folder : {above, above + "/home", cache}) {
            if (mkdir(folder.c_str(), 0755) != 0 || chown(folder.c_str(), kUser, kUser) != 0) abort();
        }
    }
    ~Home() {
        for (const std::string& folder : {cache, above + "/home", above, root}) rmdir(folder.c_str());
    }

    // The answer of make_private_folder to the user.
    bool is_private(const std::string& folder) const {
        if (setegid(kUser) != 0 || seteuid(kUser) != 0) abort();
        errno = 0;
        const bool answer = cuda_shim::make_private_folder(folder);
        const int reason = errno;
        if (seteuid(0) != 0 || setegid(0) != 0) abort();
        CHECK(answer || reason == EPERM);
        return answer;
    }
    bool is_private() const { return is_private(cache); }
    void give(uid_t owner, gid_t group, mode_t mode) const {
        if (chown(above.c_str(), owner, group) != 0 || chmod(above.c_str(), mode) != 0) abort();
    }

    std::string root, above, cache;
};

bool can_give_folders_away() {
    if (geteuid() == 0) return true;
    std::printf("skipped: only root can give folders away\n");
    return false;
}

}  // namespace

CASE(folders_above_that_only_the_user_can_exchange_are_fine) {
    if (!can_give_folders_away()) return;
    const Home home;
    CHECK(home.is_private());
    for (const uid_t owner : {kUser, uid_t{0}}) {
        for (const mode_t mode : {0755, 0711, 01777, 01775}) {
            home.give(owner, kOther, mode);
            CHECK(home.is_private());
        }
    }
    home.give(kUser, kUser, 0775);  // a group of the user's own
    CHECK(home.is_private());
}

CASE(a_folder_above_that_others_can_write_is_refused) {
    if (!can_give_folders_away()) return;
    const Home home;
    for (const mode_t mode : {0777, 0757, 0775}) {
        home.give(kUser, kOther, mode);
        CHECK(!home.is_private());
    }
    home.give(0, 0, 0777);
    CHECK(!home.is_private());
}

CASE(a_folder_above_of_another_user_is_refused) {
    if (!can_give_folders_away()) return;
    const Home home;
    for (const mode_t mode : {0755, 01777}) {
        home.give(kOther, kOther, mode);
        CHECK(!home.is_private());
    }
}

CASE(a_link_to_a_folder_in_one_of_another_user_is_refused) {
    if (!can_give_folders_away()) return;
    const Home home;
    const std::string link = home.root + "/link";
    if (symlink(home.cache.c_str(), link.c_str()) != 0) abort();
    CHECK(home.is_private(link));
    home.give(kOther, kOther, 0755);
    CHECK(!home.is_private(link));
    unlink(link.c_str());
}
