import { Button, Progress } from '@mantine/core'
import type { ReactElement } from 'react'
import type { JobProgress } from '../../data/attestation/attestation-jobs.ts'
import { countText } from '../../../protocol/count.ts'
import css from './job-progress.module.css'
import type { JobState } from './use-job.ts'

/** How far a job is, once it takes more than a moment, and the way to end it. */
export function JobProgressBar({ job }: { job: JobState<unknown> }): ReactElement | null {
  if (job.state === 'cancelled') {
    return (
      <div className={css.bar} role="status">
        <span>Cancelled.</span>
        <Button size="compact-xs" variant="default" onClick={job.again}>
          Begin again
        </Button>
      </div>
    )
  }
  if (job.state !== 'running' || !job.isSlow) return null
  const { progress } = job
  const isKnown = progress !== undefined && progress.of > 0
  return (
    <div className={css.bar} role="status">
      <span className={css.words}>{progressText(progress)}</span>
      <Progress
        className={css.progress}
        value={isKnown ? (100 * progress.done) / progress.of : 100}
        animated={!isKnown}
        aria-label="Progress"
      />
      <Button size="compact-xs" variant="default" onClick={job.cancel}>
        Cancel
      </Button>
    </div>
  )
}

function progressText(progress: JobProgress | undefined): string {
  switch (progress?.what) {
    case undefined:
      return 'Starting…'
    case 'reading':
      return 'Reading…'
    case 'decoding':
      return 'Decoding…'
    case 'comparing':
      return 'Comparing…'
    case 'hashing':
      return `Hashing, ${Math.floor((100 * progress.done) / Math.max(1, progress.of))} %…`
    case 'verifying':
      return `Checking signatures, ${countText(progress.done)} of ${countText(progress.of)}…`
  }
}
