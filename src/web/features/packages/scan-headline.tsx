import { Flex, Group, Text } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { IdText, VisuallyHidden } from '../../ui/text.tsx'
import { RelativeTime, useDerivedFromNow } from '../../ui/time.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { packageLink, packageText } from '../../domain/package/package-links.ts'
import css from './scan-page.module.css'
import pageCss from '../../ui/page.module.css'
import { waiverHeadline } from './scan-sentence.ts'

/** The verdict in one sentence; which package and scan it is of is below it. */
export function ScanHeadline({
  question,
  view,
  verdict,
  scans,
  children,
}: {
  question: PolicyScanQuestion
  view: PolicyScanView
  verdict: WaivedVerdict
  /** Names of scans to offer. */
  scans: readonly string[]
  children: ReactNode
}): ReactElement {
  const { address, scan, sha256, repositoryUrl } = question
  const { zone } = usePreferences()
  const { tone } = waiverHeadline(view, verdict, { now: 0, zone })
  const text = useDerivedFromNow((now) => waiverHeadline(view, verdict, { now, zone }).text)
  const name = packageText(address)
  const others = scans.filter((other) => other !== scan).slice(0, 5)
  return (
    <Flex component="header" direction="column" gap={8}>
      <h1 className={pageCss.sentence} data-tone={tone} data-verdict={verdict.verdict}>
        <StatusShape tone={tone} />
        <span>{text}</span>
      </h1>
      {/* What counts down or up is not read out; the end is. */}
      <span role="status">
        <VisuallyHidden>{view.endedAt === undefined ? 'Evaluating' : text}</VisuallyHidden>
      </span>
      <Group gap="4px 16px">
        <span className={css.id}>
          <strong>{name}</strong>
          <CopyButton text={name} what={`package URL ${name}`} />
        </span>
        <span className={css.id}>
          sha256:
          <span className={css.onScreen}>
            <IdText id={sha256} />
            <CopyButton text={sha256} what={`digest ${sha256}`} />
          </span>
          <span className={css.onPaper}>{sha256}</span>
        </span>
        <Text span ff="monospace" fz="xs">
          {repositoryUrl}
        </Text>
        {view.endedAt !== undefined && (
          <Text span inherit c="dimmed">
            evaluated <RelativeTime at={view.endedAt} />
          </Text>
        )}
      </Group>
      <Group gap="4px 16px">
        <span>
          Scan <strong>{scan}</strong>
        </span>
        {others.length > 0 && (
          <nav className={css.others} aria-label="Other scans of this package">
            {others.map((other) => (
              <Link key={other} to={packageLink(address, question, other)}>
                {other}
              </Link>
            ))}
          </nav>
        )}
        {children}
      </Group>
    </Flex>
  )
}
