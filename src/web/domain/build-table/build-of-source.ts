import { isBuildId } from '../../../protocol/build-message.ts'

/**
 * The build whose page a `sourcedFromUri` is: its path ends in `/s/` and the id
 * (docs/services.md#build-page-links).
 */
export function buildOfSource(uri: string): string | undefined {
  const [path = ''] = uri.split(/[?#]/)
  const id = /\/s\/([^/]+)\/?$/.exec(path)?.[1] ?? ''
  return isBuildId(id) ? id : undefined
}
