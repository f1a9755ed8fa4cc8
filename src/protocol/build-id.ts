import { z } from 'zod'

/**
 * The 13-character identifier of a build (docs/services.md#export-build-ids). The alphabet is
 * lower-case letters and digits: what every recorded server uses, and what may stand in a path
 * without escaping.
 */
export const BuildId = z.string().regex(/^[a-z0-9]{13}$/, 'must be 13 lower-case letters or digits')

/** Whether `text` has the shape of a build id; says nothing about whether such a build exists. */
export function isBuildId(text: string): boolean {
  return BuildId.safeParse(text).success
}
