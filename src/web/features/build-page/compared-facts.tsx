import type { ReactElement } from 'react'
import { compareFacts } from '../../../facts/comparison.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { durationText } from '../../ui/format.ts'
import css from './compared-facts.module.css'

/** The facts of two builds side by side; what differs comes first. */
export function ComparedFacts({
  left,
  right,
}: {
  left: Facts | undefined
  right: Facts | undefined
}): ReactElement | null {
  if (left === undefined || right === undefined) return null
  const facts = compareFacts(left, right, durationText)
  const different = facts.filter(({ isSame }) => !isSame)
  const same = facts.filter(({ isSame, left: value }) => isSame && value !== null)
  return (
    <>
      <FactTable caption="What differs" facts={different} />
      <details className={css.same}>
        <summary>{`${same.length} facts are the same`}</summary>
        <FactTable caption="What is the same" facts={same} />
      </details>
    </>
  )
}

function FactTable({
  caption,
  facts,
}: {
  caption: string
  facts: ReturnType<typeof compareFacts>
}): ReactElement {
  if (facts.length === 0) return <p className={css.none}>No fact of the two builds differs.</p>
  return (
    <div className={css.scroller}>
      <table className={css.table}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Fact</th>
            <th scope="col">Left</th>
            <th scope="col">Right</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(({ name, left, right }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{left ?? 'not known'}</td>
              <td>{right ?? 'not known'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
