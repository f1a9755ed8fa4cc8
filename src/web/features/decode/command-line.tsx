import type { ReactElement } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { CheckCommand } from './check-commands.ts'
import css from './item-view.module.css'

/** A command to copy, and what it is for. */
export function CommandLine({ label, command }: CheckCommand): ReactElement {
  return (
    <div className={css.command}>
      <span className={css.dim}>{label}</span>
      <div className={css.shell}>
        <pre tabIndex={0} aria-label={label}>
          {command}
        </pre>
        <CopyButton text={command} what="command" />
      </div>
    </div>
  )
}
