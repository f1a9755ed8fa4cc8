import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'
import { ActionList, actionsExportPath, actionsPath } from '../../../protocol/audit-log.ts'
import type { FetchedFile, FetchFile, Request } from '../core/request.ts'
import { address } from '../scans/evaluation-history.ts'

/** The newest page is requested again so often, ms; each further page takes as long again. */
const againMs = 10_000

function actionPages(
  request: Request,
  queryKey: QueryKey,
  wanted: Parameters<typeof address>[1],
  limit: number,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      request(address(actionsPath, { ...wanted, before: pageParam, limit }), ActionList, {
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => againMs * (state.data?.pages.length ?? 1),
  })
}

/** What was decided of packages and screens, the newest first; an empty `subject` narrows nothing. */
export function actionsQuery(request: Request, subject: string) {
  return actionPages(request, ['actions', subject], { subject }, 50)
}

/** Which part of the audit log is wanted; what is empty or left out narrows nothing. */
export interface AuditFilter {
  readonly kind?: string
  readonly by?: string
  readonly action?: string
  readonly outcome?: string
  readonly subject?: string
  /** Epoch ms: at this time or later, and before that one. */
  readonly from?: number | undefined
  readonly until?: number | undefined
}

/** The audit log, the newest first, 100 actions at a time. */
export function auditLogQuery(request: Request, filter: AuditFilter) {
  return actionPages(request, ['audit-log', filter], { ...filter, scope: 'all' }, 100)
}

/** How far an export has come, in rows; `total` is null where the server does not say. */
export interface ExportProgress {
  readonly rows: number
  readonly total: number | null
}

/**
 * Fetches every action that matches as a file. Throws a ProblemError where the server refuses or its response
 * breaks off: a part is never taken for all of it.
 */
export type ExportAuditLog = (
  format: 'csv' | 'jsonl',
  filter: AuditFilter,
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
) => Promise<Blob>

/** Exports through the proxy, counting rows as they arrive. */
export function createExportAuditLog(fetchFile: FetchFile): ExportAuditLog {
  return async (format, filter, onProgress, signal) => {
    let rows = 0
    const count = (piece: Uint8Array, header: FetchedFile['header']): void => {
      const announced = Number(header('sightline-rows') ?? NaN)
      const total = Number.isInteger(announced) ? announced : null
      rows += piece.reduce((lines, byte) => (byte === lineFeed ? lines + 1 : lines), 0)
      // The heading is a line, and a text may have some: neither is more than there is.
      onProgress({ rows: Math.min(rows, total ?? rows), total })
    }
    const path = address(actionsExportPath, { ...filter, format })
    return (await fetchFile(path, undefined, count, signal)).content
  }
}

const lineFeed = 10
