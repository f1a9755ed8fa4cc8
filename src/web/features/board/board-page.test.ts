import { expect, test } from 'vitest'
import type { Delivery } from '../../../protocol/delivery.ts'
import { type BoardCell, boardRows, emptyCell } from '../../../policy/board-row.ts'
import { boardPlaces } from '../../../policy/board.ts'
import { placeStates } from '../../../policy/decision.ts'
import { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { recordedOutcome } from '../../../policy/board-tally.ts'
import { inWork, placesOf } from './board-headline.tsx'
import { deliverySentence, shownDelivery } from './board-page.tsx'

const now = Date.UTC(2026, 0, 5, 9)

test.each([
  [[], ['Waiting for the policy service']],
  [[now - 1], ['Waiting for the policy service']],
  [[now + 1500], ['Evaluating 0', 'waiting 1 (next in 2 s)']],
  [
    [undefined, now],
    ['Evaluating 1', 'waiting 1'],
  ],
])('a run in which cells wait until %j says what is in work', (waits, words) => {
  const cells = new Map<string, BoardCell>([['queued', { ...emptyCell, doing: { is: 'queued' } }]])
  for (const until of waits) {
    const doing: BoardCell['doing'] =
      until === undefined ? { is: 'asking' } : { is: 'waiting', until, reason: 'busy' }
    cells.set(`until ${until ?? 'it ends'}`, { ...emptyCell, doing })
  }
  expect(inWork({ cells }, now)).toEqual(words)
})

const sent: Delivery = {
  to: 'board shop',
  id: 'a',
  createdAt: now - 200_000,
  text: 'x',
  state: 'sent',
  attempts: 1,
  triedAt: now - 120_000,
  reason: null,
  nextAt: null,
}
const reason = 'The webhook responded with 500.'
const waiting: Delivery = { ...sent, state: 'waiting', attempts: 3, reason, nextAt: now + 40_000 }

test.each([
  [undefined, 'Webhook: no message sent yet.'],
  [sent, 'Webhook: last message sent 2 min ago.'],
  [{ ...waiting, reason: null }, 'Webhook: sending a message…'],
  [waiting, `Webhook: a message failed 3 times. ${reason} Next try in 40 s.`],
  [
    { ...waiting, nextAt: now },
    `Webhook: a message failed 3 times. ${reason} Next try within 30 s.`,
  ],
  [
    { ...waiting, state: 'failed', attempts: 1, nextAt: null },
    `Webhook: a message failed 1 time and wasn't delivered. ${reason}`,
  ],
] as const)('a delivery is said in words: %#', (delivery, sentence) => {
  expect(deliverySentence(delivery, now)).toBe(sentence)
})

test('one that failed is shown until it is sent, whatever was sent since', () => {
  expect(shownDelivery([sent, waiting])).toBe(waiting)
  expect(shownDelivery([sent, { ...waiting, state: 'sent', reason: null }])).toBe(sent)
  expect(shownDelivery([])).toBeUndefined()
  expect(shownDelivery([{ ...waiting, state: 'left-out' }, sent])).toBe(sent)
})

test('what is decided on comes out as the server judges it', () => {
  const of = {
    address: { type: 'oci', name: 'checkout', version: '1' },
    ...{ sha256: 'ab'.repeat(32), repositoryUrl: 'registry.example' },
  }
  const board = {
    title: 'Shop',
    scans: ['release'],
    packages: [{ ...of, scans: undefined }],
    require: ['sbom', 'signed'],
  }
  const run = EvaluationSummary.parse({
    ...{ id: 'r', startedAt: now, endedAt: now, by: 'ada', ...of, scan: 'release' },
    ...{ packagePath: '/packages/oci/checkout/1', ended: 'complete', verdict: 'releasable' },
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 60, unknown: 0 },
    ...{ results: 61, unreadable: 0, failing: [], waived: [] },
    // Of many that weren't applicable not all are listed.
    reasons: { failing: [], notApplicable: [{ uri: '/policies/A/sbom', severity: '' }] },
  })
  const places = boardPlaces(board)
  const known = { at: now, outcome: recordedOutcome(run) }
  const [key = ''] = places.map((place) => place.key)
  const cells = new Map([[key, { ...emptyCell, known }]])
  const here = boardRows(board, places, cells, { waivers: [], now }).flatMap(placesOf)
  const there = placeStates([{ place: run, run, waived: new Map() }], board.require)
  const said = ({ verdict, missing, mayLack }: (typeof here)[number]) => [verdict, missing, mayLack]
  expect(here.map(said)).toEqual(there.map(said))
})
