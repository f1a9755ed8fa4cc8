import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import css from './page.module.css'
import { StatusShape } from './status-mark.tsx'

/** What went wrong, in words for its reader. */
export interface ProblemText {
  /** What happened: one plain sentence. */
  readonly title: string
  /** What it means for the reader, and the next step. */
  readonly meaning: string
  /** For whoever looks deeper; folded away. */
  readonly detail?: string | undefined
}

/** A failure as a sentence, its meaning, a way to try again, and the folded technical detail. */
export function ProblemPanel({
  problem,
  retry,
}: {
  problem: ProblemText
  retry?: { readonly label: string; readonly run: () => void }
}): ReactElement {
  return (
    <section className={css.panel} role="alert">
      <p className={css.problemPanelTitle}>
        <StatusShape tone="bad" />
        {problem.title}
      </p>
      <p className={css.meaning}>{problem.meaning}</p>
      {retry !== undefined && (
        <Button size="xs" variant="default" onClick={retry.run}>
          {retry.label}
        </Button>
      )}
      {problem.detail !== undefined && (
        <details className={css.detail}>
          <summary>Technical detail</summary>
          <pre>{problem.detail}</pre>
        </details>
      )}
    </section>
  )
}
