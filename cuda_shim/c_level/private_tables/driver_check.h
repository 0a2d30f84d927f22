// The driver's answer to a question of the runtime: a keyed digest of the question, the process and its devices.
//
// No other file needs this one and md2.h: a library that is built without the two answers no such question.
#define CUDA_SHIM_HAS_DRIVER_CHECK

namespace {

// Attributes of devices (CUdevice_attribute).
constexpr int pci_bus_id = 33;
constexpr int pci_device_id = 34;
constexpr int pci_domain_id = 50;

struct CheckedProcess {
    uint32_t driver_version;
    uint32_t runtime_version;
    uint32_t process;
    uint32_t thread;
    const void* runtime_table;
    const void* check_table;
    const void* check_function;
    uint64_t seconds;
};

struct CheckedDevice {
    uint8_t uuid[16];
    int32_t pci_domain;
    int32_t pci_bus;
    int32_t pci_device;
};

int describe_device(int device, CheckedDevice& described) {
    int status = cuDeviceGetUuid_v2(described.uuid, device);
    if (status == 0) status = cuDeviceGetAttribute(&described.pci_domain, pci_domain_id, device);
    if (status == 0) status = cuDeviceGetAttribute(&described.pci_bus, pci_bus_id, device);
    if (status == 0) status = cuDeviceGetAttribute(&described.pci_device, pci_device_id, device);
    return status;
}

int add_devices(KeyedMd2& digest) {
    int count = 0;
    int status = cuDeviceGetCount(&count);
    for (int device = 0; status == 0 && device < count; ++device) {
        CheckedDevice described;
        status = describe_device(device, described);
        digest.add(&described, sizeof described);
    }
    return status;
}

int answer_check(const CheckedProcess& process, uint64_t (&answer)[2]) {
    // The last digit of the runtime's version chooses the form of the answer: two constants, or the digest.
    constexpr uint64_t second_word = 0x8ED383AA1F4CD1E8;
    switch (process.runtime_version % 10) {
        case 0:
            answer[0] = 0x3341181C03CB675C, answer[1] = second_word;
            return success;
        case 1:
            answer[0] = 0x1841181C03CB675C, answer[1] = second_word;
            return success;
        default:
            break;
    }
    static const uint8_t key[Md2::size] = {0x14, 0x6a, 0xdd, 0xae, 0x53, 0xa9, 0xa7, 0x52,
                                           0xaa, 0x08, 0x41, 0x36, 0x0b, 0xf5, 0x5a, 0x9f};
    KeyedMd2 digest(key);
    digest.add(&process, sizeof process);
    const int status = add_devices(digest);
    if (status != 0) return status;
    uint8_t bytes[Md2::size];
    digest.finish(bytes);
    memcpy(answer, bytes, sizeof bytes);
    return success;
}

}  // namespace
