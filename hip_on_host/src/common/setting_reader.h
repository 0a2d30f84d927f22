// Reads settings from the environment, by the rules of cuda_shim/setting.py, which a test compares with these.
#pragma once
#include <string>

#include "common/setting_rows.h"

namespace cuda_shim {

// A variable that is unset or blank leaves the value as it is. So does one with a value that is not allowed, which is
// reported on stderr: the log itself depends on the settings.
void read_setting(const SettingRow& row, bool& value);
void read_setting(const SettingRow& row, int& value);
void read_setting(const SettingRow& row, double& value);
void read_setting(const SettingRow& row, std::string& value);  // a choice in lower case; "1" or "" for a file's boolean
void read_setting(const SettingRow& row, FollowedThread& value);

// Every setting of the table.
void read_settings(SettingValues& values);

}  // namespace cuda_shim
