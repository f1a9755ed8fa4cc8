/** How many requests may be in flight at a service whose limit nobody knows. */
export interface AdaptiveWindow {
  readonly size: () => number
  /** The service took a request. `isWanted`: more wait than may be sent, so that growing is of use. */
  readonly accepted: (isWanted: boolean) => void
  /** The service is too busy (429, 503); `inFlight` of the others are still with it. */
  readonly refused: (inFlight: number) => void
}

/** Until the first refusal it grows by so much for each request that was taken. */
const firstGrowth = 3
/** The most windows that must pass whole before one more is tried. */
const longestPatience = 32

/**
 * Begins with `start` requests and finds the limit by trying: fast until the service refuses for the
 * first time, then one more at a time, the more seldom the more often that was refused. A refusal
 * takes it back to what the service still holds, so that one burst of refusals ends at the limit.
 * Never below 1, never over `most`.
 */
export function createAdaptiveWindow({
  start,
  most,
}: {
  readonly start: number
  readonly most: number
}): AdaptiveWindow {
  let size = Math.min(start, most)
  let wasRefused = false
  let taken = 0
  let patience = 1
  return {
    size: () => size,
    accepted: (isWanted) => {
      if (!isWanted || size === most) return
      if (!wasRefused) {
        size = Math.min(most, size + firstGrowth)
        return
      }
      taken += 1
      if (taken < size * patience) return
      taken = 0
      size += 1
    },
    refused: (inFlight) => {
      patience = wasRefused ? Math.min(longestPatience, patience * 2) : 1
      wasRefused = true
      taken = 0
      size = Math.max(1, Math.min(size, inFlight))
    },
  }
}
