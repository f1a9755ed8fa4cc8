import { memo, type ReactElement, useContext, useMemo, useState } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import type { PolicyResult } from '../../../protocol/policy-result.ts'
import { countOf } from '../../../protocol/count.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { DetailsView } from './details-view.tsx'
import { EvidenceLinks } from './evidence-links.tsx'
import { firstResults } from './first-results.ts'
import css from './policy-evidence.module.css'
import { SearchedTextContext } from './searched-text-context.ts'
import { statusTones, statusWords, unknownWord } from './status-words.ts'

const drawnAtFirst = 10

/** What a policy says of each attestation, what was searched for and the failing ones first. */
export function PolicyEvidence({ group }: { group: PolicyGroup }): ReactElement {
  const [drawn, setDrawn] = useState(drawnAtFirst)
  const { results } = group
  const text = useContext(SearchedTextContext)
  const shown = useMemo(() => firstResults(results, drawn, text), [results, drawn, text])
  return (
    <div>
      <h3 className={css.heading}>Evidence</h3>
      <ul className={css.list}>
        {/* Results have no name of their own, and stand where they stand. */}
        {shown.map((result, index) => (
          <Evidence key={index} result={result} />
        ))}
      </ul>
      {results.length > drawn && (
        <>
          <button
            type="button"
            className={css.more}
            onClick={() => {
              setDrawn(drawn + 100)
            }}
          >
            Show more: {countOf(results.length - drawn, 'result')} left
          </button>
          <p data-paper-only>
            Not on this paper: {countOf(results.length - drawn, 'more result')} of this policy.
          </p>
        </>
      )}
    </div>
  )
}

const Evidence = memo(function Evidence({ result }: { result: PolicyResult }): ReactElement {
  return (
    <li className={css.result}>
      <StatusMark tone={statusTones[result.status]} word={wordOf(result)} />
      <div className={css.details}>
        <DetailsView details={result.details} />
      </div>
      <EvidenceLinks result={result} />
    </li>
  )
})

function wordOf({ status, statusText }: PolicyResult): string {
  return status === 'unknown' ? unknownWord(statusText) : statusWords[status]
}
