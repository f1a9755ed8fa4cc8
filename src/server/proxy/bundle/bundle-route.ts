import type { Context } from 'hono'
import type { Readable } from 'node:stream'
import { countOf } from '../../../protocol/count.ts'
import { BundleRequest } from '../../../protocol/evidence-bundle.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import { packageTextAt } from '../../../protocol/package-reference.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { originOf } from '../history/audit.ts'
import type { History } from '../history/history.ts'
import { withAnyOf } from '../live/waiters.ts'
import { badQuery, jsonIn, readJsonBody, readListQuery } from '../read-request.ts'
import type { ProxyEnv, RouteHandler } from '../sessions.ts'
import { type BundleSources, writeBundle } from './bundle-content.ts'
import { cellsOfBoard, evidenceOf, scanPage, type WantedEvidence } from './bundle-subject.ts'
import { createZipStream, fileName } from './zip-stream.ts'

/** What the route stands on, beside the history. */
export interface BundleOptions extends Omit<BundleSources, 'database' | 'origin'> {
  readonly boards: SharedConfig['boards']
  /** Where people open this Sightline; undefined: where the request went. */
  readonly origin: string | undefined
}

/**
 * `GET` and `POST /history/bundle`: an evidence bundle as a zip, sent while it is made
 * (docs/design.md#evidence-bundle), and audited. Throws a ProblemError 400 for a query that names
 * nothing, 404 where nothing is recorded.
 */
export function evidenceBundle(
  { options: { database, clock, logger }, audit, settled }: History,
  { boards, origin, ...options }: BundleOptions,
): RouteHandler {
  return async (c) => {
    const wanted = c.req.method === 'POST' ? await requestedBoard(c, boards) : readWanted(c, boards)
    // What was evaluated a moment ago is evidence, too.
    const isRecorded = await settled()
    const at = clock.now()
    const found = await evidenceOf(database, wanted, at)
    const subject = isRecorded ? found : { ...found, notes: [...found.notes, notRecorded] }
    const name = `evidence-${fileName(subject.name)}-${new Date(at).toISOString().slice(0, 10)}.zip`
    const headers = {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    }
    // Nobody would read what is made: that is no export.
    if (c.req.method === 'HEAD') return new Response(null, { headers })
    const detail = `Exported the evidence of ${subject.what}: ${countOf(subject.runs.length, 'run')}.`
    const act = {
      ...originOf(c),
      action: 'evidence-exported',
      subject: subject.page,
      detail,
    } as const
    const zip = createZipStream(at)
    const sources = { ...options, database, origin: origin ?? new URL(c.req.url).origin }
    const left = new AbortController()
    zip.output.once('close', () => {
      left.abort()
    })
    const { ended, user } = c.get('session')
    void withAnyOf([left.signal, ended], (signal) =>
      writeBundle(zip, subject, sources, { by: user.name, at, signal }),
    ).then(
      () => {
        audit.record(act)
      },
      (error: unknown) => {
        logger.warn({ reason: reasonOf(error) }, 'an evidence bundle broke off')
        audit.record({ ...act, outcome: 'failed', detail: `${detail} It broke off.` })
        // The status is long sent: only a connection that breaks tells that something is missing.
        zip.output.destroy()
        c.env.outgoing?.destroy()
      },
    )
    return new Response(bodyOf(zip.output), { headers })
  }
}

const notRecorded = 'Runs that ended just now may be missing: they are still being recorded.'

/** A stream of Node's as the body of a response: read only as fast as its reader takes it. */
function bodyOf(output: Readable): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = output[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const next = await chunks.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: () => {
      output.destroy()
    },
  })
}

function readWanted(c: Context<ProxyEnv>, boards: SharedConfig['boards']): WantedEvidence {
  const keys = ['decision', 'run', 'board', 'path', 'scan', 'sha256', 'repository'] as const
  const { decision, run, board, path, scan, sha256, repository } = readListQuery(c, keys)
  const given = [decision, run, board, path].filter((one) => one !== undefined)
  if (given.length !== 1) {
    throw badQuery(
      'Name one of: "decision", "run", "board", or "path" with "scan", "sha256" and "repository".',
    )
  }
  if (decision !== undefined) return { is: 'decision', id: decision }
  if (run !== undefined) return { is: 'run', id: run }
  if (board !== undefined) {
    const { title, ...cells } = cellsOfBoard(boards, board)
    const page = `/board/${encodeURIComponent(board)}`
    return { is: 'cells', what: `the release board "${title}"`, page, name: board, board, ...cells }
  }
  if ([path, scan, sha256, repository].includes(undefined)) {
    throw badQuery('"path", "scan", "sha256" and "repository" belong together.')
  }
  const cell = {
    packagePath: path ?? '',
    scan: scan ?? '',
    sha256: sha256 ?? '',
    repositoryUrl: repository ?? '',
  }
  return {
    is: 'cells',
    what: `the scan "${cell.scan}" on ${packageTextAt(cell.packagePath)}`,
    page: scanPage(cell),
    name: `${cell.scan}-${packageTextAt(cell.packagePath)}`,
    cells: [cell],
    board: undefined,
    require: [],
  }
}

/** The board of the configuration whose page it is says what it requires, and what was decided. */
async function requestedBoard(
  c: Context<ProxyEnv>,
  boards: SharedConfig['boards'],
): Promise<WantedEvidence> {
  const read = BundleRequest.safeParse(jsonIn(await readJsonBody(c)))
  if (!read.success) {
    const [issue] = read.error.issues
    throw badQuery(
      `The body doesn't name a board: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`,
    )
  }
  const { title, page, cells } = read.data
  const what = title === '' ? 'a release board' : `the release board "${title}"`
  const named = boards.find(
    ({ name }) => page.replace(/\?.*$/, '') === `/board/${encodeURIComponent(name)}`,
  )
  return {
    ...{ is: 'cells', what, page, cells },
    name: title === '' ? 'board' : title,
    board: named?.name,
    require: named?.require ?? [],
  }
}
