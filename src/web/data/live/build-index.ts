/** Finds the place of a build by its id; places are 0 up to the capacity, one per build. */
export interface BuildIndex {
  /** The place of a build, or -1. */
  readonly find: (buildId: string) => number
  /**
   * Notes that the build at `place` now has this id, and forgets the one that was there; false, and
   * nothing happens, when the index has the id already.
   */
  readonly put: (buildId: string, place: number) => boolean
}

/**
 * An index of at most `capacity` builds, of which `hasId` tells whether the one at a place has an
 * id. A Map takes half of the
 * time of a catch-up, as it follows a pointer for each key that it meets; here a hash is compared
 * first, in one flat array. Open addressing with linear probing; what follows a removed entry
 * moves up, so there are no tombstones.
 */
export function createBuildIndex(
  capacity: number,
  hasId: (place: number, buildId: string) => boolean,
): BuildIndex {
  const size = 2 ** Math.ceil(Math.log2(Math.max(8, capacity * 2)))
  const mask = size - 1
  /** Place + 1 by slot; 0 is an empty slot. */
  const slots = new Int32Array(size)
  /** Hash by place. */
  const hashes = new Int32Array(capacity)

  function slotOf(buildId: string, hash: number): number {
    let slot = hash & mask
    for (let entry = at(slots, slot); entry !== 0; entry = at(slots, slot)) {
      if (at(hashes, entry - 1) === hash && hasId(entry - 1, buildId)) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  function remove(place: number): void {
    let hole = at(hashes, place) & mask
    while (at(slots, hole) !== place + 1) {
      if (at(slots, hole) === 0) return
      hole = (hole + 1) & mask
    }
    for (let slot = (hole + 1) & mask; at(slots, slot) !== 0; slot = (slot + 1) & mask) {
      const home = at(hashes, at(slots, slot) - 1) & mask
      // An entry may fill the hole unless its own home lies behind the hole.
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        slots[hole] = at(slots, slot)
        hole = slot
      }
    }
    slots[hole] = 0
  }

  return {
    find: (buildId) => at(slots, slotOf(buildId, hashOf(buildId))) - 1,
    put: (buildId, place) => {
      const hash = hashOf(buildId)
      if (slots[slotOf(buildId, hash)] !== 0) return false
      remove(place)
      // What was removed may have left a slot nearer to home.
      slots[slotOf(buildId, hash)] = place + 1
      hashes[place] = hash
      return true
    },
  }
}

/** FNV-1a over the characters. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  // The low bits choose the slot, so the high ones are folded in.
  return hash ^ (hash >>> 15)
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0
}
