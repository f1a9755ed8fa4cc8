import { type ReactElement, useMemo } from 'react'
import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { subjectAt, subjectNodes } from '../../../attestation/subjects.ts'
import { countText } from '../../../protocol/count.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import factsCss from './facts.module.css'
import css from './item-view.module.css'
import { LongList } from './long-list.tsx'
import type { ComparedSubject } from './subject-line.ts'
import { Visible } from './visible.tsx'

/** Whom the attestation is about, and which of them is what the reader holds. */
export function SubjectList({
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
    <section className={css.section}>
      <h2>
        {nodes.length === 1 ? 'Subject' : 'Subjects'}{' '}
        <span className={css.dim}>{countText(nodes.length)}</span>
      </h2>
      <LongList
        label="Subjects"
        length={nodes.length}
        estimate={56}
        item={(index) => {
          const subject = subjectAt(tree, nodes[index] ?? 0)
          const matches = equal.get(index) ?? []
          return (
            <div className={factsCss.item} data-subject={index}>
              <div>
                <Visible text={subject.name ?? subject.uri ?? '(no name)'} />
                {matches.map(({ what, word, tone }) => (
                  <span key={what} className={css.beside}>
                    <StatusMark tone={tone} word={word} />
                  </span>
                ))}
              </div>
              {subject.digests.map(({ algorithm, value, problem }) => (
                <div key={algorithm} className={factsCss.copied}>
                  <code className={factsCss.code}>
                    <Visible text={`${algorithm}:${value}`} most={300} />
                  </code>
                  <CopyButton text={`${algorithm}:${value}`} what={`digest ${algorithm}`} />
                  {problem !== undefined && <StatusMark tone="waiting" word={problem} />}
                </div>
              ))}
              {subject.problem !== undefined && (
                <div>
                  <StatusMark tone="bad" word={subject.problem} />
                </div>
              )}
            </div>
          )
        }}
      />
    </section>
  )
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
        : { what, tone: 'waiting', word: `has the ${match.algorithm} of ${what}, a weak match` }
    for (const index of match.subjects) equal.set(index, [...(equal.get(index) ?? []), mark])
  }
  return equal
}
