import {
  buildsSinceBuildPath,
  buildsSincePath,
  type ExportVersion,
} from '../../../protocol/export-paths.ts'

/**
 * Up to where an upstream's builds are known.
 * - `instant`: all from an instant on (epoch ms by the upstream's clock) are wanted
 * - `after`: all after a build are wanted; `timestamp` is when that was received, if known
 */
export type KnownPosition =
  | { readonly kind: 'instant'; readonly at: number }
  | { readonly kind: 'after'; readonly id: string; readonly timestamp?: number }

/** The same, or `now`: nothing is known and nothing old is wanted. */
export type UpstreamPosition = KnownPosition | { readonly kind: 'now' }

/** Where the export service continues from a position. */
export function exportPath(
  version: ExportVersion,
  position: UpstreamPosition,
  stream: boolean,
): string {
  switch (position.kind) {
    case 'now':
      return buildsSincePath(version, 'now', stream)
    case 'instant':
      return buildsSincePath(version, position.at, stream)
    case 'after':
      return buildsSinceBuildPath(version, position.id, stream)
  }
}
