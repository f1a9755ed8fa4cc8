/** The two versions of the export service (docs/services.md#export-versions). */
export type ExportVersion = 'v1' | 'v2'

/** Where a listing begins: an instant in epoch ms (0 is the beginning), or only what is to come. */
export type Since = number | 'now'

/** All builds received since an instant (docs/services.md#export-since). */
export function buildsSincePath(version: ExportVersion, since: Since, stream: boolean): string {
  return `/build-export/${version}/builds/since/${since}${stream ? '?stream' : ''}`
}

/** All builds received after a build (docs/services.md#export-since-build). */
export function buildsSinceBuildPath(
  version: ExportVersion,
  buildId: string,
  stream: boolean,
): string {
  return `/build-export/${version}/builds/sinceBuild/${buildId}${stream ? '?stream' : ''}`
}

/** The events of one build, of all types or of some (docs/services.md#export-events-of-a-build). */
export function buildEventsPath(
  version: ExportVersion,
  buildId: string,
  eventTypes: readonly string[] = [],
): string {
  const query =
    eventTypes.length === 0 ? '' : `?eventTypes=${eventTypes.map(encodeURIComponent).join(',')}`
  return `/build-export/${version}/build/${buildId}/events${query}`
}
