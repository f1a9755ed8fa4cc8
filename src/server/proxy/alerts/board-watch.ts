import { type BoardCell, boardRows, worstRowsFirst } from '../../../policy/board-row.ts'
import { type BoardSentence, boardSentence, boardText } from '../../../policy/board-sentence.ts'
import { boardPlaces, configuredBoard } from '../../../policy/board.ts'
import { recordedOutcome } from '../../../policy/board-tally.ts'
import { decidedText } from '../../../policy/decision.ts'
import { utcText } from '../../../policy/scan-report.ts'
import { byPlace, placeKey } from '../../../protocol/decision.ts'
import { packageNameOf, packagePath } from '../../../protocol/package-address.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import type { Alert } from '../../store/alerts.ts'
import type { Database } from '../../store/database.ts'
import { listDecisions } from '../../store/decisions.ts'
import { changeBoard, findStanding, watchBoard } from '../../store/deliveries.ts'
import { latestEvaluations } from '../../store/evaluations.ts'
import { listWaivers } from '../../store/waivers.ts'
import { type AlertMessage, singleLine, written } from './alert-message.ts'

/** A board of the configuration. */
type ConfiguredBoard = SharedConfig['boards'][number]

/** What messages about boards need besides the board. */
export interface BoardMessageRules {
  /** Where people open this Sightline; undefined where that is not configured. */
  readonly dashboard: string | undefined
  /** Masks the configured credentials in what people wrote. */
  readonly redact: (text: string) => string
}

/** What was last said of a board: `turns` counts the changes of its verdict. */
interface Standing {
  readonly turns: number
  readonly verdict: BoardSentence['verdict']
  /** The id of the newest decision; empty before the first. */
  readonly decision: string
}

type BoardMessage = Omit<Alert, 'tile' | 'createdAt'>

/** More at once are no news, each of them. */
const mostDecisions = 20

/**
 * Puts down to be sent that the verdict of a board has changed, and each decision on it, once for all
 * proxies on the database. What was there before the board was first watched causes no message. `now`
 * is epoch ms. Throws what the database throws.
 */
export async function noteBoard(
  database: Database,
  configured: ConfiguredBoard,
  rules: BoardMessageRules,
  now: number,
): Promise<void> {
  const { name } = configured
  // Read first: what is found after it is no older.
  const from = await findStanding(database, name)
  const { text: sentence, verdict } = await sentenceOf(database, configured, now)
  const decisions = await listDecisions(database, { board: name }, mostDecisions)
  const [newest] = decisions
  if (from === undefined) {
    const standing = { turns: 0, verdict, decision: newest?.id ?? '' }
    await watchBoard(database, name, standingText(standing), now)
    return
  }
  const before = readStanding(from)
  const hasTurned = verdict !== before.verdict
  const turns = before.turns + (hasTurned ? 1 : 0)
  const to = standingText({ turns, verdict, decision: newest?.id ?? before.decision })
  if (to === from) return
  const title = configured.title ?? name
  const common = { thread: '', ...linkTo(name, rules.dashboard) }
  const decided = decisions
    .filter(({ id }) => id > before.decision)
    .toReversed()
    .map((decision): BoardMessage => {
      const said = singleLine(rules.redact(decidedText(decision, title)), longestSentence)
      const subject = `${singleLine(title)}: ${said}`
      const text = /[.)]$/.test(said) ? subject : `${subject}.`
      const message = { kind: 'other', mark: '', title: singleLine(title), subject, text } as const
      return {
        spell: `decision ${decision.id}`,
        kind: decision.action,
        ...written({ ...message, ...common }),
      }
    })
  const turn = `${singleLine(title)} is ${words[verdict]} (was ${words[before.verdict]})`
  const turned: BoardMessage = {
    spell: `verdict ${turns}`,
    kind: verdict,
    ...written({
      kind: 'other',
      mark: marks[verdict],
      title: turn,
      subject: turn,
      text: `${turn}: ${singleLine(sentence, longestSentence)} (${utcText(now)})`,
      ...common,
    }),
  }
  const messages = [...decided, ...(hasTurned ? [turned] : [])]
  // They are sent in the order of these times, and all of them now.
  const inOrder = messages.map((message, index) => {
    return { ...message, createdAt: now - (messages.length - 1 - index) }
  })
  await changeBoard(database, name, { from, to }, inOrder)
}

const longestSentence = 1000

const words: Record<BoardSentence['verdict'], string> = {
  releasable: 'releasable',
  'releasable-unchecked': 'releasable, with policies not checked',
  'not-releasable': 'not releasable',
  undecided: 'inconclusive',
  open: 'not fully evaluated',
}

const marks: Record<BoardSentence['verdict'], string> = {
  releasable: '✓',
  'releasable-unchecked': '✓',
  'not-releasable': '✕',
  undecided: '?',
  open: '?',
}

function linkTo(board: string, dashboard: string | undefined): Pick<AlertMessage, 'link'> {
  if (dashboard === undefined) return {}
  const url = `${dashboard.replace(/\/+$/, '')}/board/${encodeURIComponent(board)}`
  return { link: { label: 'Board', url } }
}

/** What the board says now, by the last recorded runs of anybody and the waivers in force. */
async function sentenceOf(
  database: Database,
  configured: ConfiguredBoard,
  now: number,
): Promise<BoardSentence> {
  const { board } = configuredBoard(configured)
  const cellAt = new Map<string, string>()
  const wanted = boardPlaces(board).flatMap(({ key, row, scan }) => {
    const one = board.packages[row]
    if (one === undefined) return []
    const { address, sha256, repositoryUrl } = one
    const place = { packagePath: packagePath(address), sha256, repositoryUrl, scan }
    cellAt.set(placeKey(place), key)
    return [place]
  })
  const cells = new Map<string, BoardCell>()
  for (const [place, [run, ...before]] of byPlace(await latestEvaluations(database, wanted))) {
    if (run === undefined) continue
    const known = { at: run.endedAt, outcome: recordedOutcome(run, before) }
    cells.set(cellAt.get(place) ?? '', { doing: { is: 'idle' }, known, fault: undefined })
  }
  const waivers = await waiversOf(
    database,
    wanted.map(({ packagePath: path }) => path),
    now,
  )
  const rows = boardRows(board, boardPlaces(board), cells, { waivers, now })
  const worst = worstRowsFirst(rows)
  return { ...boardSentence(worst), text: boardText(worst) }
}

async function waiversOf(
  database: Database,
  paths: readonly string[],
  now: number,
): Promise<readonly Waiver[]> {
  const names = new Set(paths.map(packageNameOf))
  const waivers = await listWaivers(database, { now })
  return waivers.filter((waiver) => names.has(packageNameOf(waiver.packagePath)))
}

const separator = ' '

function standingText({ turns, verdict, decision }: Standing): string {
  return [turns, verdict, decision].join(separator)
}

/** Of a later version that says it otherwise: as if nothing had been known. */
function readStanding(text: string): Standing {
  const [turns = '', verdict = '', decision = ''] = text.split(separator)
  return {
    turns: Number.parseInt(turns, 10) || 0,
    verdict: verdicts.find((one) => one === verdict) ?? 'open',
    decision,
  }
}

const verdicts = [
  'releasable',
  'releasable-unchecked',
  'not-releasable',
  'undecided',
  'open',
] as const
