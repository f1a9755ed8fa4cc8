import { Box, Flex, Text } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import type { Explanation } from '../../../attestation/explain.ts'
import { noNode } from '../../../attestation/decode/json-tree.ts'
import {
  fact,
  type Fact,
  type FactList,
  type Part,
  partAt,
  scalarOf,
  shortJson,
  textFact,
} from '../../../attestation/predicates/predicate-facts.ts'
import { otherPayloadType } from '../../../attestation/statement/match-subjects.ts'
import { subjectAt, subjectNodes } from '../../../attestation/statement/subjects.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { countText } from '../../../protocol/count.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { LongList } from './long-list.tsx'
import { originsOf } from './says.ts'
import { goingOn } from './verdict-lines.ts'
import type { ComparedSubject } from './compared-digest.ts'
import { Copied, FactRows, FactValue, NamedRows, Visible } from './tab-parts.tsx'
import { StrangerLink } from '../../ui/external-link.tsx'
import css from './decode.module.css'

/** What the attestation claims: what kind of claim it is, about whom, and its facts. */
export function SaysTab({
  item,
  explanation,
  compared,
}: {
  item: DecodedItem
  explanation: Explanation | undefined
  compared: readonly ComparedSubject[]
}): ReactElement {
  const { statement } = item
  const otherType = otherPayloadType(item.envelope)
  if (statement === undefined || explanation === undefined) {
    return <p>The payload isn't an in-toto statement. See the “Payload” tab.</p>
  }
  return (
    <>
      <Flex component="section" direction="column" gap={8}>
        <Text component="h2" fw={600}>
          {explanation.name}
        </Text>
        <Text maw="80ch">
          What it proves if valid:{' '}
          {otherType === undefined
            ? goingOn(explanation.proves)
            : `nothing, as ${goingOn(otherType)}`}
        </Text>
        {explanation.near !== undefined && (
          <Text maw="80ch">
            The closest known type is {explanation.near.name} ({visibleText(explanation.near.type)}
            ).
          </Text>
        )}
        <NamedRows
          rows={[
            [
              'Type',
              statement.predicateType === undefined ? (
                'not said'
              ) : (
                <StrangerLink key="type" address={statement.predicateType}>
                  <Visible text={statement.predicateType} />
                </StrangerLink>
              ),
            ],
          ]}
        />
        <FactRows rows={explanation.rows} />
        <Origins explanation={explanation} />
      </Flex>
      <SubjectList item={item} compared={compared} />
      {explanation.lists.map((list, at) => (
        <FactListSection key={at} list={list} />
      ))}
    </>
  )
}

function Origins({ explanation }: { explanation: Explanation }): ReactElement | null {
  const origins = useMemo(() => originsOf(explanation), [explanation])
  if (origins.length === 0) return null
  return (
    <Flex
      component="ul"
      wrap="wrap"
      gap="4px 16px"
      m={0}
      p={0}
      style={{ listStyle: 'none' }}
      aria-label="Origin"
    >
      {origins.map(({ text, address }) => (
        <li key={text}>
          <StrangerLink address={address}>{text}</StrangerLink>
        </li>
      ))}
    </Flex>
  )
}

function FactListSection({ list }: { list: FactList }): ReactElement {
  return (
    <Flex component="section" direction="column" gap={8}>
      <Text component="h2" fw={600}>
        <Visible text={list.label} most={200} />{' '}
        <Text span inherit c="dimmed">
          {countText(list.length)}
        </Text>
      </Text>
      <LongList
        label={visibleText(list.label, 200)}
        length={list.length}
        item={(index) => {
          const { details, ...item } = list.at(index)
          return (
            <div className={css.item}>
              <FactValue {...item} />
              {details.length > 0 && (
                <Text component="div" inherit fz="xs" c="dimmed">
                  {details.map((detail, at) => (
                    <span key={at}>
                      <Visible text={detail.label} most={200} />: <FactValue {...detail} />
                    </span>
                  ))}
                </Text>
              )}
            </div>
          )
        }}
      />
    </Flex>
  )
}

/** Whom the attestation is about, and which of them is what the reader holds. */
function SubjectList({
  item,
  compared,
}: {
  item: DecodedItem
  compared: readonly ComparedSubject[]
}): ReactElement | null {
  const { statement, content } = item
  const nodes = useMemo(
    () =>
      statement !== undefined && content.kind === 'json'
        ? subjectNodes(content.tree, statement)
        : new Int32Array(),
    [statement, content],
  )
  const equal = useMemo(() => equalSubjects(compared), [compared])
  if (content.kind !== 'json' || nodes.length === 0) return null
  const { tree } = content
  return (
    <Flex component="section" direction="column" gap={8}>
      <Text component="h2" fw={600}>
        {nodes.length === 1 ? 'Subject' : 'Subjects'}{' '}
        <Text span inherit c="dimmed">
          {countText(nodes.length)}
        </Text>
      </Text>
      <LongList
        label="Subjects"
        length={nodes.length}
        estimate={56}
        item={(index) => {
          const subject = subjectAt(tree, nodes[index] ?? 0)
          const matches = equal.get(index) ?? []
          return (
            <div className={css.item} data-subject={index}>
              <div>
                <Visible text={subject.name ?? subject.uri ?? '(no name)'} />
                {matches.map(({ what, word, tone }) => (
                  <Box key={what} component="span" ml={12}>
                    <StatusMark tone={tone} word={word} />
                  </Box>
                ))}
              </div>
              {subject.digests.map(({ algorithm, value, problem }) => (
                <Copied key={algorithm}>
                  <Text component="code" inherit ff="monospace">
                    <Visible text={`${algorithm}:${value}`} most={300} />
                  </Text>
                  <CopyButton text={`${algorithm}:${value}`} what={`digest ${algorithm}`} />
                  {problem !== undefined && <StatusMark tone="waiting" word={problem} />}
                </Copied>
              ))}
              <MoreOfSubject subject={{ tree, node: nodes[index] ?? 0 }} />
              {subject.problem !== undefined && (
                <div>
                  <StatusMark tone="bad" word={subject.problem} />
                </div>
              )}
            </div>
          )
        }}
      />
    </Flex>
  )
}

/** What a subject says beside its name and digests. */
function MoreOfSubject({ subject }: { subject: Part }): ReactElement | null {
  const rows = [
    ...(scalarOf(partAt(subject, 'name')) === undefined ? [] : fact(subject, 'URI', 'uri', 'uri')),
    ...fact(subject, 'Download', 'uri', 'downloadLocation'),
    ...fact(subject, 'Media type', 'text', 'mediaType'),
    ...jsonFact('Annotations', partAt(subject, 'annotations')),
    ...fact(subject, 'Content', 'text', 'content'),
  ]
  return rows.length === 0 ? null : <FactRows rows={rows} />
}

function jsonFact(label: string, part: Part): readonly Fact[] {
  return part.node === noNode ? [] : [textFact(label, shortJson(part))]
}

interface Mark {
  readonly what: string
  readonly tone: StatusTone
  readonly word: string
}

function equalSubjects(compared: readonly ComparedSubject[]): ReadonlyMap<number, Mark[]> {
  const equal = new Map<number, Mark[]>()
  for (const { compared: thing, match } of compared) {
    if (match.kind !== 'equal' && match.kind !== 'weak') continue
    const { what } = thing
    const mark: Mark =
      match.kind === 'equal'
        ? { what, tone: 'good', word: `equals ${what}` }
        : { what, tone: 'waiting', word: `has the ${match.algorithm} of ${what} (weak match)` }
    for (const index of match.subjects) equal.set(index, [...(equal.get(index) ?? []), mark])
  }
  return equal
}
