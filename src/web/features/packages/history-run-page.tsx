import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link, Navigate, useParams } from 'react-router'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { evaluationQuery } from '../../data/scans/evaluation-history.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { problemDetail } from '../../ui/problem-detail.ts'
import { ProblemPanel, type ProblemText } from '../../ui/problem-panel.tsx'
import { runLink, runsLink } from '../../domain/package/run-links.ts'
import { Unseen } from '../../ui/unseen.tsx'
import { RecordedRunScreen } from './history-run-screen.tsx'
import css from './page.module.css'
import { useAddressedPackage } from './use-addressed-package.ts'

/** One recorded run of a policy scan, as it was: the address is a permalink. */
export function RecordedRunPage(): ReactElement {
  const { run = '' } = useParams()
  const { address, scan } = useAddressedPackage()
  const { data: record, error, refetch } = useQuery(evaluationQuery(useRequest(), run))
  if (record !== undefined) {
    const read = readPackageReference(record.packagePath)
    const isHere = record.packagePath === packagePath(address) && record.scan === scan
    // Somebody changed the address by hand: a permalink says the truth about its run.
    return !isHere && read.ok ? (
      <Navigate to={runLink(read.reference.address, record.scan, record.id)} replace />
    ) : (
      <RecordedRunScreen key={run} record={record} address={address} />
    )
  }
  if (error === null) {
    return (
      <div className={css.page}>
        <h1 className={css.sentence}>Reading the recorded run…</h1>
      </div>
    )
  }
  const text = missingText(error)
  return (
    <div className={css.page}>
      <Unseen as="h1">{text.title}</Unseen>
      <ProblemPanel problem={text} retry={{ label: 'Try again', run: () => void refetch() }} />
      <p className={css.offer}>
        <Link to={runsLink(address, scan)}>All recorded runs of this scan</Link>
      </p>
    </div>
  )
}

function missingText(error: Error): ProblemText {
  if (!(error instanceof ProblemError)) {
    return { title: 'The recorded run cannot be shown.', meaning: error.message }
  }
  const { status, message } = error
  const detail = problemDetail(error)
  return status === 404
    ? {
        title: 'This run is not recorded, or not any more.',
        meaning:
          'Runs are kept for a time that whoever runs Sightline sets, and then removed. The link may also be mistyped.',
        detail,
      }
    : { title: 'The recorded run cannot be shown.', meaning: message, detail }
}
