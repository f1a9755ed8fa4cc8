import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { verdictSentence } from '../../../policy/verdict-sentence.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { countText } from '../../../protocol/count.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { runLink, runsLink } from '../../domain/package/run-links.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { verdictTones } from '../../domain/run/verdict-tones.ts'
import css from './earlier-runs.module.css'

/** The runs before this one that the proxy recorded, whoever asked for them. */
export function RecordedRuns({
  question,
  runs,
}: {
  question: PolicyScanQuestion
  runs: readonly EvaluationSummary[]
}): ReactElement {
  return (
    <details className={css.runs}>
      <summary>Evaluated before: the last {countText(runs.length)} recorded</summary>
      <ul className={css.list}>
        {runs.map((run) => (
          <li key={run.id}>
            <Link to={runLink(question.address, question.scan, run.id)}>
              <StatusMark
                tone={verdictTones[run.verdict]}
                word={verdictSentence({ verdict: run.verdict, counts: run.counts })}
              />
            </Link>{' '}
            <span className={css.dim}>
              <RelativeTime at={run.endedAt} /> by {run.by}
            </span>
          </li>
        ))}
      </ul>
      <p className={css.list}>
        <Link to={runsLink(question.address, question.scan, question)}>All recorded runs</Link>
      </p>
    </details>
  )
}
