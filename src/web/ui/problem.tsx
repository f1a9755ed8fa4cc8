import { Alert, Button } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import css from './page.module.css'
import { Notice } from './notice.tsx'
import { StatusShape } from './status-mark.tsx'

export interface ProblemText {
  /** What happened: one plain sentence. */
  readonly title: string
  /** What it means for the reader, and the next step. */
  readonly meaning: string
  /** The technical details, which are folded. */
  readonly detail?: string | undefined
}

/**
 * A failure as a sentence, its meaning, a way to try again, and the folded technical details. What `run`
 * promises is waited for: until then the button says that it is being tried.
 */
export function ProblemPanel({
  problem,
  retry,
  isPage = false,
}: {
  problem: ProblemText
  /** It stands in place of a whole page: its title is the heading. */
  isPage?: boolean
  retry?: { readonly label: string; readonly run: () => unknown }
}): ReactElement {
  const [isTrying, setTrying] = useState(false)
  async function run(): Promise<void> {
    setTrying(true)
    await retry?.run()
    setTrying(false)
  }
  return (
    <Alert
      color="bad"
      icon={<StatusShape tone="bad" />}
      title={problem.title}
      attributes={isPage ? { title: { role: 'heading', 'aria-level': 1 } } : {}}
      maw="44rem"
      mx="auto"
      my="xl"
    >
      <p>{problem.meaning}</p>
      {retry !== undefined && (
        <Button variant="default" disabled={isTrying} onClick={() => void run()}>
          {isTrying ? 'Trying again…' : retry.label}
        </Button>
      )}
      {problem.detail !== undefined && (
        <details className={css.detail}>
          <summary>Technical details</summary>
          <pre>{problem.detail}</pre>
        </details>
      )}
    </Alert>
  )
}

/** A part of a page that couldn't be loaded, in one sentence, and a way to try again. */
export function RetryNotice({
  sentence,
  onRetry,
}: {
  sentence: string
  onRetry: () => void
}): ReactElement {
  return (
    <Notice
      tone="bad"
      role="alert"
      action={
        <Button size="compact-xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {sentence}
    </Notice>
  )
}
