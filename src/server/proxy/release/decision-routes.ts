import { createHash } from 'node:crypto'
import { z } from 'zod'
import {
  concernSentence,
  concernsOf,
  decidedVerdict,
  decisionSentence,
  placeStates,
  requiredVerdict,
} from '../../../policy/decision.ts'
import { isPastedBoard } from '../../../policy/board.ts'
import { policyKey } from '../../../policy/policy-group.ts'
import { countedRun, waiversInForce } from '../../../policy/waived-verdict.ts'
import { byPlace, type DecidedPlace, NewDecision, placeKey } from '../../../protocol/decision.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packageNameOf } from '../../../protocol/package-address.ts'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import type { Database } from '../../store/database.ts'
import {
  addDecision,
  decidedAlready,
  findDecision,
  listDecisions,
  newestDecision,
  type ReleaseFindings,
  runsById,
} from '../../store/decisions.ts'
import { latestEvaluations } from '../../store/evaluations.ts'
import { listWaivers } from '../../store/waivers.ts'
import { requireForPackage } from '../access.ts'
import { cellsOfBoard } from '../bundle/bundle-subject.ts'
import { originOf } from '../history/audit.ts'
import type { HistoryOptions } from '../history/history.ts'
import { jsonIn, readJsonBody, readListQuery } from '../read-request.ts'
import type { RouteHandler } from '../sessions.ts'

const mostListed = 200

/** `GET /history/decisions`. */
export function decisionList({ database }: HistoryOptions): RouteHandler {
  return async (c) => {
    const filter = readListQuery(c, ['board', 'path', 'scan'])
    return c.json({ decisions: await listDecisions(database, filter, mostListed) })
  }
}

/** `GET /history/decisions/:id`. */
export function decisionRecord({ database }: HistoryOptions): RouteHandler {
  return async (c) => {
    const found = await findDecision(database, c.req.param('id') ?? '')
    if (found !== undefined) return c.json(found)
    throw problemError(404, 'no-decision', 'Decision not found', 'No decision has this id.')
  }
}

/**
 * `POST /history/decisions`: answers 201 with the decision, made by the user of the session. What it
 * stands on is read from the history, and what its board requires from the configuration, not from the request. Throws a ProblemError: 409 where another
 * decision was made meanwhile, or where something speaks against it that was not confirmed. Sent again, it is made once.
 */
export function decide(
  { database, clock, changes }: HistoryOptions,
  boards: SharedConfig['boards'],
): RouteHandler {
  return async (c) => {
    const asked = readNewDecision(await readJsonBody(c))
    const { subject } = asked
    const { user } = c.get('session')
    const newest = await newestDecision(database, subject)
    for (const place of await concernedBy(database, boards, asked, newest?.id)) {
      requireForPackage(user, 'decide', place)
    }
    const at = clock.now()
    const already = () => decidedAlready(database, asked, { by: user.name, at })
    if ((newest?.id ?? null) !== asked.newest) {
      const made = await already()
      if (made !== undefined) return c.json(made, 201)
      throw overtaken(newest)
    }
    if (asked.action === 'revoke' && newest?.action !== 'release') throw nothingToRevoke()
    const findings =
      asked.action === 'release' ? await findingsOf(database, boards, asked, at) : undefined
    const name = subject.is === 'board' ? subject.board : subject.scan
    const runs = new Set(findings?.places.flatMap(({ run }) => run ?? [])).size
    const made = { id: '', at, by: user.name, subject, reason: asked.reason }
    const detail = decisionSentence(
      findings === undefined
        ? { ...made, action: 'revoke', revokes: asked.newest ?? '' }
        : { ...made, action: 'release', runs, ...findings },
      name,
    )
    const act = { ...originOf(c), at, detail }
    const decision = (await addDecision(database, asked, findings, act)) ?? (await already())
    if (decision === undefined) throw overtaken(await newestDecision(database, subject))
    changes.publish('decisions', subject.is === 'board' ? subject.board : subject.packagePath)
    return c.json(decision, 201)
  }
}

type Place = Omit<DecidedPlace, 'run'>

/**
 * What somebody must be allowed to decide on: the policy scan itself, or all cells of a configured board. Of a pasted
 * board only its link knows the cells: then it is the places of the request and of the decision before it.
 * Throws a ProblemError where a release names other places than what it is about.
 */
async function concernedBy(
  database: Database,
  boards: SharedConfig['boards'],
  asked: NewDecision,
  before: string | undefined,
): Promise<readonly Place[]> {
  const { subject } = asked
  const places = asked.action === 'release' ? asked.places : undefined
  if (subject.is === 'scan') {
    if (places !== undefined && !areSame(places, [subject])) {
      throw badDecision('Name exactly one place: the policy scan that is decided on.')
    }
    return [subject]
  }
  const { board } = subject
  const isConfigured = boards.some(({ name }) => name === board)
  if (isConfigured || (places !== undefined && !isPastedBoard(board))) {
    const { cells } = cellsOfBoard(boards, board)
    if (places !== undefined && !areSame(places, cells)) throw otherCells()
    return cells
  }
  const decided = before === undefined ? undefined : await findDecision(database, before)
  return [...(places ?? []), ...(decided?.places ?? [])]
}

function areSame(some: readonly Place[], others: readonly Place[]): boolean {
  const keys = new Set(some.map(placeKey))
  const wanted = new Set(others.map(placeKey))
  return keys.size === wanted.size && [...wanted].every((key) => keys.has(key))
}

/** What a release stands on at a time, epoch ms. Throws a ProblemError 400 or 409. */
async function findingsOf(
  database: Database,
  boards: SharedConfig['boards'],
  { places, accepted, subject }: Extract<NewDecision, { action: 'release' }>,
  at: number,
): Promise<ReleaseFindings> {
  if (new Set(places.map(placeKey)).size < places.length) {
    throw badDecision('The same scan is listed twice.')
  }
  const runs = await runsById(database, [...new Set(places.flatMap(({ run }) => run ?? []))])
  const latest = byPlace(await latestEvaluations(database, places))
  const waivers = await waiversOfPackages(database, places, at)
  const board = subject.is === 'board' ? subject.board : undefined
  const require = boards.find(({ name }) => name === board)?.require ?? []
  const counted = new Set<string>()
  const newestOf = new Map<string, string>()
  const found = places.map((place) => {
    const run = place.run === null ? undefined : runOf(place, runs.get(place.run))
    const inForce = waiversInForce(waivers.get(packageNameOf(place.packagePath)) ?? [], place, at)
    for (const uri of run?.failing ?? []) {
      const waiver = inForce.get(policyKey(uri))
      if (waiver !== undefined) counted.add(waiver.id)
    }
    const newest = countedRun(latest.get(placeKey(place)) ?? [], inForce)
    if (newest !== undefined) newestOf.set(placeKey(place), newest.id)
    return { place, run, waived: inForce }
  })
  const states = placeStates(found, require).map((state) => ({
    ...state,
    isSuperseded: state.run !== undefined && (newestOf.get(placeKey(state)) ?? '') > state.run.id,
  }))
  const concerns = concernsOf(states, at)
  const unconfirmed = concerns.filter(({ concern }) => !accepted.includes(concern))
  if (unconfirmed.length > 0) {
    throw problemError(
      409,
      'decision-concerns',
      'Confirm what speaks against it',
      unconfirmed.map(concernSentence).join(' '),
      { concerns: unconfirmed.map(({ concern }) => concern) },
    )
  }
  return {
    verdict: decidedVerdict(states),
    content: contentOf(places),
    waivers: [...counted],
    concerns: concerns.map(({ concern }) => concern),
    places: states.map(
      ({ run, missing, unchecked: _, mayLack: __, isSuperseded: ___, ...place }) => ({
        ...place,
        verdict: requiredVerdict({ ...place, missing }),
        run: run?.id ?? null,
        by: run?.by ?? null,
        endedAt: run?.endedAt ?? null,
      }),
    ),
  }
}

/** A run of that package and that scan. Throws a ProblemError 400 for another one. */
function runOf(place: DecidedPlace, run: EvaluationSummary | undefined): EvaluationSummary {
  if (run?.packagePath === place.packagePath && run.scan === place.scan) return run
  throw badDecision(
    run === undefined
      ? `The run ${String(place.run)} isn't recorded.`
      : `The run ${run.id} is not of ${place.scan} on ${place.packagePath}.`,
  )
}

/** Of each package, by its path without the version. */
async function waiversOfPackages(
  database: Database,
  places: readonly DecidedPlace[],
  now: number,
): Promise<ReadonlyMap<string, readonly Waiver[]>> {
  const byName = new Map<string, Waiver[]>()
  const names = new Set(places.map(({ packagePath }) => packageNameOf(packagePath)))
  const [only] = names
  const path = names.size === 1 && only !== undefined ? `${only}/*` : undefined
  for (const waiver of await listWaivers(database, { path, now })) {
    const name = packageNameOf(waiver.packagePath)
    if (names.has(name)) byName.set(name, [...(byName.get(name) ?? []), waiver])
  }
  return byName
}

function contentOf(places: readonly DecidedPlace[]): string {
  return createHash('sha256')
    .update(`[${places.map(placeKey).sort().join(',')}]`)
    .digest('hex')
}

function readNewDecision(body: Uint8Array): NewDecision {
  const { data, error } = z.safeParse(NewDecision, jsonIn(body))
  if (data !== undefined) return data
  const fields = error.issues.map(({ path }) => path.join('.') || 'body')
  throw badDecision(`Check these fields: ${[...new Set(fields)].join(', ')}.`)
}

function badDecision(detail: string): ProblemError {
  return problemError(400, 'bad-decision', 'Bad decision', detail)
}

function overtaken(newest: Awaited<ReturnType<typeof newestDecision>>): ProblemError {
  const detail =
    newest === undefined
      ? 'There is no decision yet.'
      : `${newest.by} has ${newest.action === 'release' ? 'released it' : 'revoked the release'} in the meantime: ${newest.reason}`
  return problemError(409, 'decision-newer', 'Decided in the meantime', detail, {
    newest: newest ?? null,
  })
}

function otherCells(): ProblemError {
  return problemError(
    409,
    'board-changed',
    'Board changed',
    'The board has other packages or scans than this page. Reload the page, then decide again.',
  )
}

function nothingToRevoke(): ProblemError {
  return problemError(
    409,
    'nothing-to-revoke',
    'Nothing to revoke',
    'The release has already been revoked.',
  )
}
