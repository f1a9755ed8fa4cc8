import { Table, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import {
  compareEnvironments,
  type ComparedFact,
  compareFacts,
  factGroups,
} from '../../../facts/comparison.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { BuildEvents, BuildEventsView } from '../../data/build/build-events.ts'
import { bytesText, durationText } from '../../ui/format.ts'
import { StrangerLink } from '../../ui/external-link.tsx'
import { Section } from '../../ui/page.tsx'
import css from './build-page.module.css'
import { type Knowledge, stampOf, useAnswer } from './use-knowledge.ts'

/** Both builds' events, and how far they are read. */
export interface ComparedSides {
  readonly before: BuildEvents
  readonly beforeView: BuildEventsView
  readonly after: BuildEvents
  readonly afterView: BuildEventsView
}

/** Dependencies, tool, Java, machine, options and custom values: what differs; what doesn't is folded. */
export function ComparedEnvironment({
  before,
  after,
  sides,
}: {
  before: Knowledge
  after: Knowledge
  sides: ComparedSides
}): ReactElement {
  const facts = comparedFacts(before, after)
  const different = facts.filter(({ isSame }) => !isSame)
  const same = facts.filter(({ isSame, left }) => isSame && typeof left === 'string')
  return (
    <>
      <ComparedDependencies sides={sides} />
      <Section title="Environment and values">
        {different.length === 0 ? (
          <Text>The details of the two builds don't differ.</Text>
        ) : (
          <FactTable caption="Differences" facts={different} />
        )}
        <details>
          <Text component="summary" inherit c="dimmed" style={{ cursor: 'pointer' }}>
            {countOf(same.length, 'equal detail')}
          </Text>
          <FactTable caption="Equal details" facts={same} />
        </details>
      </Section>
    </>
  )
}

/** The facts, and of where the builds ran what both tell in the same way. */
function comparedFacts(before: Knowledge, after: Knowledge): readonly ComparedFact[] {
  if (before.facts === undefined || after.facts === undefined) return []
  const [one, other] = [before.header?.environment ?? [], after.header?.environment ?? []]
  const ofEvents = one.length > 0 && other.length > 0
  const rows = ofEvents
    ? compareEnvironments(one, other)
    : compareEnvironments(before.attributes?.rows ?? [], after.attributes?.rows ?? [])
  // Of all other tools it is what was requested.
  const isBazel = [before, after].some(({ facts }) => facts?.buildTool === 'bazel')
  const own = rows
    .filter(({ name }) => !hostNames.has(name) && (isBazel || name !== 'command'))
    .map((fact) => (fact.name === 'maximum heap' ? inBytes(fact) : fact))
  // The rows have it in their own words.
  const inRows = ofEvents
    ? /^\w+\.(?:environment|buildOptions)\./
    : /^\w+\.(?:environment|buildOptions|platformSettings)\./
  const facts = compareFacts(before.facts, after.facts, durationText).filter(
    ({ name }) => rows.length === 0 || !inRows.test(name),
  )
  return [...facts, ...own].toSorted(
    (a, b) => factGroups.indexOf(a.group) - factGroups.indexOf(b.group),
  )
}

/** As the page of a build has it, where that still says what differs. */
function inBytes(fact: ComparedFact): ComparedFact {
  const text = (side: ComparedFact['left']): ComparedFact['left'] =>
    typeof side === 'string' && Number.isFinite(Number(side)) ? bytesText(Number(side)) : side
  const [left, right] = [text(fact.left), text(fact.right)]
  return left === right && !fact.isSame ? fact : { ...fact, left, right }
}

/** The user and host are facts of their own; addresses differ from machine to machine. */
const hostNames: ReadonlySet<string> = new Set([
  'username',
  'user',
  'host',
  'public hostname',
  'local hostname',
  'ip addresses',
  'local IP addresses',
])

function FactTable({
  caption,
  facts,
}: {
  caption: string
  facts: readonly ComparedFact[]
}): ReactElement {
  const groups = factGroups.filter((group) => facts.some((fact) => fact.group === group))
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table layout="fixed" style={{ overflowWrap: 'anywhere' }} aria-label={caption}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Detail</Table.Th>
            <Table.Th scope="col">Before</Table.Th>
            <Table.Th scope="col">After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        {groups.map((group) => (
          <Table.Tbody key={group}>
            <Table.Tr>
              <Table.Th scope="rowgroup" colSpan={3} c="dimmed">
                {group}
              </Table.Th>
            </Table.Tr>
            {facts
              .filter((fact) => fact.group === group)
              .map(({ name, left, right }, index) => (
                <Table.Tr key={`${index} ${name}`}>
                  <Table.Th scope="row">{name}</Table.Th>
                  <Table.Td>{sideText(left)}</Table.Td>
                  <Table.Td>{sideText(right)}</Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        ))}
      </Table>
    </Table.ScrollContainer>
  )
}

function sideText(value: ComparedFact['left']): ReactElement {
  if (typeof value !== 'string')
    return (
      <Text span c="dimmed">
        {value === null ? 'none' : 'unknown'}
      </Text>
    )
  return value === '' ? <>(empty)</> : <StrangerLink address={value}>{value}</StrangerLink>
}

const mostDependencies = 100

/** Modules that were resolved to other versions; nothing where the events hold none. */
function ComparedDependencies({
  sides: { before, beforeView, after, afterView },
}: {
  sides: ComparedSides
}): ReactElement | null {
  const stamps = [beforeView, afterView].map(({ parts }) => stampOf(parts.dependencies))
  const isRead = [beforeView, afterView].every(
    ({ parts }) => parts.dependencies.state === 'complete',
  )
  const { data } = useAnswer(
    before,
    { kind: 'dependencies', other: after.buildId },
    isRead ? stamps.join(' ') : undefined,
  )
  if (data === undefined || (data.left === 0 && data.right === 0)) return null
  const { differences, left, right } = data
  return (
    <Section title="Dependencies">
      {differences.length === 0 ? (
        <p className={css.compared}>{`The same ${countOf(right, 'module')} in both builds.`}</p>
      ) : left === 0 || right === 0 ? (
        <p className={css.compared}>
          {`Only the ${left === 0 ? 'later' : 'earlier'} build's events name its dependencies: ${countOf(Math.max(left, right), 'module')}.`}
        </p>
      ) : (
        <Table.ScrollContainer minWidth={320}>
          <Table
            layout="fixed"
            style={{ overflowWrap: 'anywhere' }}
            aria-label="Dependencies that differ"
          >
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Module</Table.Th>
                <Table.Th scope="col">Before</Table.Th>
                <Table.Th scope="col">After</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {differences.slice(0, mostDependencies).map((row) => (
                <Table.Tr key={row.module}>
                  <Table.Th scope="row">
                    <code>{row.module}</code>
                  </Table.Th>
                  <Table.Td>{row.left ?? '–'}</Table.Td>
                  <Table.Td>{row.right ?? '–'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {left > 0 && right > 0 && differences.length > mostDependencies && (
        <p
          className={css.compared}
        >{`And ${countText(differences.length - mostDependencies)} more.`}</p>
      )}
    </Section>
  )
}
