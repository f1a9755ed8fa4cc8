import { Button, Group, Progress, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { type Finding, placeInWords } from '../../../attestation/decode/finding.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { JobProgress } from '../../data/attestation/attestation-jobs.ts'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import css from './decode.module.css'
import type { JobState } from './inspection.ts'

const tones: Readonly<Record<Finding['level'], StatusTone>> = {
  mistake: 'bad',
  warning: 'waiting',
  note: 'info',
}

/** As many are listed; a thousand alike say no more. */
const most = 20

/** What is odd or wrong with what was given, each with its place. */
export function Findings({
  findings,
  label,
}: {
  findings: readonly Finding[]
  label: string
}): ReactElement | null {
  if (findings.length === 0) return null
  return (
    <ul className={css.list} aria-label={label}>
      {findings.slice(0, most).map(({ level, message, at }, index) => (
        <li key={index} className={css.finding} data-tone={tones[level]}>
          <StatusShape tone={tones[level]} />
          <span>
            {visibleText(message)}
            {at !== undefined && (
              <Text span inherit fz="xs" c="dimmed">
                {' '}
                ({at.in === 'payload' ? 'payload, ' : ''}
                {at.unit === 'character' && at.line === 1
                  ? `character ${countText(at.column)}`
                  : placeInWords(at)}
                )
              </Text>
            )}
          </span>
        </li>
      ))}
      {findings.length > most && (
        <Text component="li" inherit fz="xs" c="dimmed">
          And {countOf(findings.length - most, 'more like these', 'more like these')}.
        </Text>
      )}
    </ul>
  )
}

/** How far a job is, once it takes more than a moment, and the way to end it. */
export function JobProgressBar({ job }: { job: JobState<unknown> }): ReactElement | null {
  if (job.state === 'cancelled') {
    return (
      <Group gap={12} role="status">
        <span>Canceled.</span>
        <Button size="compact-xs" variant="default" onClick={job.again}>
          Start again
        </Button>
      </Group>
    )
  }
  if (job.state !== 'running' || !job.isSlow) return null
  const { progress } = job
  const isKnown = progress !== undefined && progress.of > 0
  return (
    <Group gap={12} role="status">
      <Text span inherit>
        {progressText(progress)}
      </Text>
      <Progress
        flex={1}
        maw={320}
        value={isKnown ? (100 * progress.done) / progress.of : 100}
        animated={!isKnown}
        aria-label="Progress"
      />
      <Button size="compact-xs" variant="default" onClick={job.cancel}>
        Cancel
      </Button>
    </Group>
  )
}

function progressText(progress: JobProgress | undefined): string {
  switch (progress?.what) {
    case undefined:
      return 'Starting…'
    case 'reading':
      return 'Loading…'
    case 'decoding':
      return 'Decoding…'
    case 'comparing':
      return 'Comparing…'
    case 'hashing':
      return `Hashing, ${Math.floor((100 * progress.done) / Math.max(1, progress.of))}%…`
    case 'verifying':
      return `Checking signatures, ${countText(progress.done)} of ${countText(progress.of)}…`
  }
}
