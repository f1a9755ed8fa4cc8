import { type ReactElement, useState } from 'react'
import css from './text.module.css'
import { toast } from './toast.ts'

/** Puts `text` on the clipboard and says whether that worked; else it is shown, to be copied by hand. */
export async function copyText(text: string): Promise<boolean> {
  if (await writeClipboard(text)) return true
  await toast(`The browser blocks copying. Copy this: ${text}`)
  return false
}

/** The same without a word about a failure, for a text that is in sight. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByCommand(text)
  }
}

/** Pages that come by http from another machine have no clipboard API, but may answer a copy command. */
function copyByCommand(text: string): boolean {
  let isDone = false
  const answer = (event: ClipboardEvent): void => {
    event.preventDefault()
    event.stopImmediatePropagation()
    event.clipboardData?.setData('text/plain', text)
    isDone = true
  }
  document.addEventListener('copy', answer, { capture: true })
  document.execCommand('copy')
  document.removeEventListener('copy', answer, { capture: true })
  return isDone
}

/** Copies `text`, which may be made only then; `what` completes "Copy …" for screen readers. */
export function CopyButton({
  text,
  what,
  tabIndex = 0,
}: {
  text: string | (() => string)
  what: string
  tabIndex?: number
}): ReactElement {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className={css.button}
      aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
      title={copied ? 'Copied' : `Copy ${what}`}
      tabIndex={tabIndex}
      onClick={(event) => {
        event.stopPropagation()
        void copyText(typeof text === 'string' ? text : text()).then(setCopied)
      }}
      onBlur={() => {
        setCopied(false)
      }}
      onPointerLeave={() => {
        setCopied(false)
      }}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {copied ? (
          <path d="M3 8.5 6.5 12 13 4.5" />
        ) : (
          <path d="M6 5.5h6.5v8H6zM10 5.5v-3H3.5v8H6" />
        )}
      </svg>
    </button>
  )
}
