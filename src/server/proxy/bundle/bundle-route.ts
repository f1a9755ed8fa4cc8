import type { Readable } from 'node:stream'
import type { Context } from 'hono'
import { BundleRequest, type BundleCell } from '../../../protocol/evidence-bundle.ts'
import { countOf } from '../../../protocol/count.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import { originOf } from '../history/audit.ts'
import { badQuery, readListQuery } from '../history/history-query.ts'
import type { History } from '../history/history.ts'
import { readRequestBody } from '../request-body.ts'
import type { ProxyEnv } from '../sessions.ts'
import { type BundleSources, writeBundle } from './bundle-content.ts'
import {
  type BundleSubject,
  cellsOfBoard,
  lastRuns,
  noRuns,
  packageText,
  runPage,
  runsOf,
} from './bundle-subject.ts'
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
  { options: { database, clock, logger }, audit }: History,
  { boards, origin, ...options }: BundleOptions,
): (c: Context<ProxyEnv>) => Promise<Response> {
  return async (c) => {
    const wanted = c.req.method === 'POST' ? await requestedBoard(c) : await readWanted(c, boards)
    const subject = await subjectOf(wanted)
    const detail = `Exported the evidence of ${subject.what}: ${countOf(subject.runs.length, 'run')}.`
    const act = {
      ...originOf(c),
      action: 'evidence-exported',
      subject: subject.page,
      detail,
    } as const
    const at = clock.now()
    const zip = createZipStream(at)
    const sources = { ...options, database, origin: origin ?? new URL(c.req.url).origin }
    const left = new AbortController()
    zip.output.once('close', () => {
      left.abort()
    })
    const signal = AbortSignal.any([left.signal, c.get('session').ended])
    const by = c.get('session').user.name
    void writeBundle(zip, subject, sources, { by, at, signal }).then(
      () => {
        audit.record(act)
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown'
        logger.warn({ reason }, 'an evidence bundle broke off')
        audit.record({ ...act, outcome: 'failed', detail: `${detail} It broke off.` })
        // The status is long sent: only a connection that breaks tells that something is missing.
        zip.output.destroy()
        c.env.outgoing?.destroy()
      },
    )
    const name = `evidence-${fileName(subject.name)}-${new Date(at).toISOString().slice(0, 10)}.zip`
    return new Response(bodyOf(zip.output), {
      headers: {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    })
  }

  async function subjectOf(wanted: Wanted): Promise<BundleSubject> {
    const decision = null
    if (wanted.is === 'run') {
      const { runs } = await runsOf(database, [wanted.id])
      const [run] = runs
      if (run === undefined) throw noRuns(wanted.id.slice(0, 100))
      const what = `run ${run.id} of the scan "${run.scan}" on ${packageText(run.packagePath)}`
      return {
        what,
        page: runPage(run),
        name: `run-${run.id}`,
        runs,
        missing: [],
        notes: [],
        decision,
      }
    }
    const { what, page, name, cells } = wanted
    const found = await lastRuns(database, cells)
    if (found.runs.length === 0) throw noRuns(what)
    return { what, page, name, ...found, decision }
  }
}

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

type Wanted =
  | { readonly is: 'run'; readonly id: string }
  | {
      readonly is: 'cells'
      readonly what: string
      readonly page: string
      readonly name: string
      readonly cells: readonly BundleCell[]
    }

function readWanted(c: Context<ProxyEnv>, boards: SharedConfig['boards']): Promise<Wanted> {
  const { run, board, path, scan, sha256 } = readListQuery(c, [
    'run',
    'board',
    'path',
    'scan',
    'sha256',
  ])
  const given = [run, board, path].filter((one) => one !== undefined)
  if (given.length !== 1) {
    throw badQuery('Name one of: "run", "board", or "path" with "scan" and "sha256".')
  }
  if (run !== undefined) return Promise.resolve({ is: 'run', id: run })
  if (board !== undefined) {
    const { title, cells } = cellsOfBoard(boards, board)
    const page = `/board/${encodeURIComponent(board)}`
    return Promise.resolve({
      is: 'cells',
      what: `the release board "${title}"`,
      page,
      name: board,
      cells,
    })
  }
  if (path === undefined || scan === undefined || sha256 === undefined) {
    throw badQuery('"path", "scan" and "sha256" belong together.')
  }
  const what = `the scan "${scan}" on ${packageText(path)}`
  const page = `${path}/policy-scans/${encodeURIComponent(scan)}`
  const cells = [{ packagePath: path, scan, sha256 }]
  return Promise.resolve({ is: 'cells', what, page, name: `${scan}-${packageText(path)}`, cells })
}

async function requestedBoard(c: Context<ProxyEnv>): Promise<Wanted> {
  const read = BundleRequest.safeParse(parsed(await readRequestBody(c.req.raw)))
  if (!read.success) {
    const [issue] = read.error.issues
    throw badQuery(
      `The body doesn't name a board: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`,
    )
  }
  const { title, page, cells } = read.data
  const what = title === '' ? 'a release board' : `the release board "${title}"`
  return { is: 'cells', what, page, name: title === '' ? 'board' : title, cells }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
