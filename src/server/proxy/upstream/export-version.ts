import type { ExportVersion } from '../../../protocol/build-export.ts'
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts'
import type { UpstreamLog } from './upstream-log.ts'

/** `auto`: version 2, or version 1 where the server has only that. */
export type ExportVersionSetting = ExportVersion | 'auto'

/**
 * Requests of version 2 of the export stream as the server speaks it: everybody behind this asks for
 * version 2, and messages of both versions are understood (docs/services.md#export-versions). With
 * `auto`, what version 2 answers as absent is tried in version 1 until one of the two has answered.
 */
export function withExportVersion(
  client: UpstreamClient,
  setting: ExportVersionSetting,
  log?: UpstreamLog,
): UpstreamClient {
  let spoken: ExportVersion | null = setting === 'auto' ? null : setting
  const speak = (version: ExportVersion | null): void => {
    if (setting === 'auto') spoken = version
    if (version !== null) log?.spoke(version)
  }
  const send = async (
    request: UpstreamRequest,
    version: ExportVersion,
  ): Promise<UpstreamResponse> => {
    const path = request.path.replace(/^\/build-export\/v2\//, `/build-export/${version}/`)
    const response = await client.request({ ...request, path })
    if (isAnswer(response)) speak(version)
    else if (isAbsent(response) && spoken === 'v1' && path.includes('/builds/')) speak(null)
    return response
  }
  return {
    request: async (request) => {
      if (!request.path.startsWith('/build-export/v2/')) return client.request(request)
      if (spoken !== null) return send(request, spoken)
      const response = await send(request, 'v2')
      if (!isAbsent(response)) return response
      // A 404 may also hide a missing permission or build: version 1 has to answer to be believed.
      const older = await send(request, 'v1').catch(() => undefined)
      const chosen = older !== undefined && isAnswer(older) ? older : response
      const other = chosen === older ? response : older
      other?.cancel()
      return chosen
    },
    close: () => client.close(),
  }
}

function isAnswer({ status }: UpstreamResponse): boolean {
  return status === 200 || status === 204
}

function isAbsent({ status }: UpstreamResponse): boolean {
  return status === 404 || status === 405 || status === 410 || status === 501
}
