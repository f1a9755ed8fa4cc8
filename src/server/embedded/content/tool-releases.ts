/** From when on which version of the tool and of its agent are used. */
export interface ToolRelease {
  /** Epoch ms. */
  readonly since: number
  readonly tool: string
  readonly agent: string
}

/**
 * The release that was in use at `at` (epoch ms), or the one `back` releases before it, if there is
 * one so old. Throws a RangeError when there is none at all.
 */
export function releaseAt(releases: readonly ToolRelease[], at: number, back: number): ToolRelease {
  const used = releases.filter(({ since }, index) => index === 0 || since <= at)
  const found = used[Math.max(0, used.length - 1 - back)]
  if (found === undefined) throw new RangeError('no release')
  return found
}

/** A release that is in use from a day on (`YYYY-MM-DD`, UTC), or some days later. */
export function release(day: string, tool: string, agent: string, delayDays = 0): ToolRelease {
  return { since: Date.parse(day) + delayDays * 86_400_000, tool, agent }
}

/** Gradle as a team upgrades it: some days after, or as an early adopter before, the others. */
export function gradleReleases(delayDays: number): ToolRelease[] {
  return [
    release('2024-05-06', '8.7', '3.17.2', delayDays),
    release('2024-10-14', '8.10.2', '3.18.1', delayDays),
    release('2025-03-10', '8.13', '3.19.2', delayDays),
    release('2025-08-25', '9.0.0', '4.1.1', delayDays),
    release('2025-12-08', '9.2.1', '4.2.2', delayDays),
    release('2026-05-18', '9.4.1', '4.3.2', delayDays),
    release('2026-10-05', '9.6.0', '4.4', delayDays),
  ]
}

/** Maven likewise. */
export function mavenReleases(delayDays: number): ToolRelease[] {
  return [
    release('2024-04-02', '3.9.6', '1.21.1', delayDays),
    release('2024-11-04', '3.9.9', '1.22.2', delayDays),
    release('2025-07-21', '3.9.11', '2.1', delayDays),
    release('2026-03-09', '3.9.12', '2.3.1', delayDays),
  ]
}

/** And npm. */
export function npmReleases(delayDays: number): ToolRelease[] {
  return [
    release('2025-01-13', '10.9.2', '1.0.3', delayDays),
    release('2025-10-20', '11.6.1', '2.0.1', delayDays),
    release('2026-06-15', '11.9.0', '3.0.0', delayDays),
  ]
}
