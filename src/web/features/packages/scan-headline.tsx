import { Group } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { IdText, VisuallyHidden } from '../../ui/text.tsx'
import { RelativeTime, useDerivedFromNow } from '../../ui/time.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { packageLink, packageText } from '../../domain/package/package-links.ts'
import css from './scan-page.module.css'
import { waiverHeadline } from './scan-sentence.ts'

/** The verdict in one sentence; which package and scan it is of is below it. */
export function ScanHeadline({
  question,
  view,
  verdict,
  scans,
  actions,
  children,
}: {
  question: PolicyScanQuestion
  view: PolicyScanView
  verdict: WaivedVerdict
  /** Names of scans to offer. */
  scans: readonly string[]
  actions: ReactNode
  /** More facts of the run. */
  children?: ReactNode
}): ReactElement {
  const { address, scan, sha256, repositoryUrl } = question
  const { zone } = usePreferences()
  const { tone } = waiverHeadline(view, verdict, { now: 0, zone })
  const text = useDerivedFromNow((now) => waiverHeadline(view, verdict, { now, zone }).text)
  const name = packageText(address)
  const others = scans.filter((other) => other !== scan).slice(0, 5)
  return (
    <PageHeader
      title={
        <>
          <span className={css.id}>
            <strong>{name}</strong>
            <CopyButton text={name} what={`package URL ${name}`} />
          </span>
          <span>
            Scan <strong>{scan}</strong>
          </span>
          {others.length > 0 && (
            <nav aria-label="Other scans of this package">
              <Group gap={12}>
                {others.map((other) => (
                  <Link key={other} to={packageLink(address, question, other)}>
                    {other}
                  </Link>
                ))}
              </Group>
            </nav>
          )}
        </>
      }
      sentence={text}
      tone={tone}
      attributes={{ 'data-verdict': verdict.verdict }}
      actions={actions}
    >
      {/* What counts down or up is not read out; the end is. */}
      <span role="status">
        <VisuallyHidden>{view.endedAt === undefined ? 'Evaluating' : text}</VisuallyHidden>
      </span>
      <Group gap="4px 16px" c="dimmed">
        <span className={css.id}>
          sha256:
          <span className={css.id} data-screen-only>
            <IdText id={sha256} />
            <CopyButton text={sha256} what={`digest ${sha256}`} />
          </span>
          <span data-paper-only>{sha256}</span>
        </span>
        <span className={css.id}>{repositoryUrl}</span>
        {view.endedAt !== undefined && (
          <span>
            Evaluated <RelativeTime at={view.endedAt} />
          </span>
        )}
        {children}
      </Group>
    </PageHeader>
  )
}
