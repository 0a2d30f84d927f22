// Memory sets as commands.
#pragma once
#include <cstddef>

#include "hip/streams/command.h"

namespace cuda_shim {

class Stream;
struct Allocation;

// `depth` slices of `height` rows of `width` elements of 1, 2 or 4 bytes.
struct FillRegion {
    char* dst = nullptr;
    unsigned value = 0;
    unsigned element_bytes = 1;
    size_t width = 0, height = 1, depth = 1;
    size_t pitch = 0, slice = 0;

    size_t row_bytes() const { return width * element_bytes; }
    size_t bytes() const { return row_bytes() * height * depth; }
};

class FillCommand final : public Command {
public:
    explicit FillCommand(const FillRegion& region) : region_(region) {}
    hipError_t execute(Device&) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeMemset; }
    CommandPtr clone() const override { return std::make_unique<FillCommand>(*this); }
    bool cheap() const override;
    // Planes keep their shape.
    hipGraphExecUpdateResult may_become(const Command& other) const override;
    Activity activity() const override { return {"fill", "device memory", region_.bytes()}; }
    const FillRegion& region() const { return region_; }
    hipMemsetParams params() const;

private:
    FillRegion region_;
};

// hipErrorInvalidValue for memory that HIP does not know, ranges that leave their allocation, and rows that are wider
// than the pitch or not aligned for the element.
// Writes the region's allocation to `allocation`, if it is not null; a region of no bytes leaves it as it is.
hipError_t check_fill(const FillRegion& region, Allocation* allocation = nullptr);
hipError_t region_of(const hipMemsetParams& params, FillRegion& region);

}  // namespace cuda_shim
