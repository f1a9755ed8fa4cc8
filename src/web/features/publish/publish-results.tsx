import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { packagePath } from '../../../protocol/package-address.ts'
import {
  isPublishing,
  type PublishQuestion,
  type PublishView,
} from '../../data/publish/publish-run.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { packageLink, packageText } from '../../domain/package/package-words.ts'
import { ProblemPanel } from '../../ui/problem-panel.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { OutcomeList } from './outcome-list.tsx'
import { publishCaveats } from './publish-sentence.ts'
import css from './publish-results.module.css'
import { refusalText } from './refusal-text.ts'

/** What came of a publication, as it comes, and where to go from it. */
export function PublishResults({
  view,
  question,
  onCancel,
  onClear,
}: {
  view: PublishView
  question: PublishQuestion
  onCancel: () => void
  onClear: () => void
}): ReactElement {
  const { state, outcomes, stored } = view
  const caveats = publishCaveats(view)
  return (
    <section className={css.results} aria-label="Results">
      {state.is === 'refused' && <ProblemPanel problem={refusalText(question, state.problem)} />}
      {caveats.length > 0 && (
        <div className={css.notice} role="alert" data-testid="publish-notice">
          <StatusShape tone="waiting" />
          <div>
            {caveats.map((caveat) => (
              <p key={caveat}>{caveat}</p>
            ))}
          </div>
        </div>
      )}
      <div className={css.tools}>
        {isPublishing(state) ? (
          <>
            <Button size="xs" variant="default" className={css.tool} onClick={onCancel}>
              Cancel
            </Button>
            <span className={css.dim}>What is stored already stays stored.</span>
          </>
        ) : (
          <>
            {stored > 0 && <ScanLinks question={question} />}
            <Button size="xs" variant="default" className={css.tool} onClick={onClear}>
              Clear the results
            </Button>
          </>
        )}
      </div>
      {outcomes.length > 0 && <OutcomeList outcomes={outcomes} />}
    </section>
  )
}

/** What the package was published for: the scans that were evaluated on it before, or its page. */
function ScanLinks({ question }: { question: PublishQuestion }): ReactElement {
  const { packages = [] } = usePreferences()
  const path = packagePath(question.address)
  const before = packages.find(({ address }) => packagePath(address) === path)
  const scans = before?.scans.slice(0, 4) ?? []
  return (
    <nav className={css.links} aria-label="From here">
      {scans.map((scan) => (
        <Link key={scan} to={packageLink(question.address, question, scan)}>
          Evaluate policy scan {scan}
        </Link>
      ))}
      <Link to={packageLink(question.address, question)}>
        Policy scans of {packageText(question.address)}
      </Link>
    </nav>
  )
}
