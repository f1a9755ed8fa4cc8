import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import type { ScanReport } from '../../../policy/scan-report.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { packageLink } from '../../domain/package/package-words.ts'
import { runLink, runsLink } from '../../domain/package/run-links.ts'
import { ExportMenu } from './export-menu.tsx'
import css from './scan-tools.module.css'

/** What can be done with a recorded run: go to its neighbours, evaluate anew, take it along. */
export function RunTools({
  question,
  record,
  runs,
  report,
}: {
  question: PolicyScanQuestion
  record: EvaluationSummary
  /** Of all versions, the newest first. */
  runs: readonly EvaluationSummary[]
  report: ScanReport | undefined
}): ReactElement {
  const { address, scan } = question
  const ofVersion = runs.filter(({ packagePath }) => packagePath === record.packagePath)
  const at = ofVersion.findIndex(({ id }) => id === record.id)
  const before = at === -1 ? undefined : ofVersion[at + 1]
  const after = at === -1 ? undefined : ofVersion[at - 1]
  return (
    <div className={css.tools} data-screen-only>
      {before !== undefined && <Tool to={runLink(address, scan, before.id)} words="Run before" />}
      {after !== undefined && <Tool to={runLink(address, scan, after.id)} words="Run after" />}
      <Tool to={runsLink(address, scan, question)} words="All runs" />
      <Tool to={packageLink(address, question, scan)} words="Evaluate now" />
      <ExportMenu report={report} />
    </div>
  )
}

function Tool({ to, words }: { to: string; words: string }): ReactElement {
  return (
    <Button size="xs" variant="default" className={css.tool} component={Link} to={to}>
      {words}
    </Button>
  )
}
