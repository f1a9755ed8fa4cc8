import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { copyText } from '../../ui/copy.ts'
import { download } from '../../ui/download.ts'
import { toast } from '../../ui/toast.ts'
import css from './part-buttons.module.css'

/** Copies and downloads a part of an attestation; bytes that are no text can only be downloaded. */
export function PartButtons({
  what,
  fileName,
  content,
  copied,
}: {
  /** Completes "Copy …" and "Download …". */
  what: string
  fileName: string
  /** Made when it is wanted: it may be large. */
  content: () => string | Uint8Array
  /** What is copied; nothing where there is no text for it. */
  copied?: (() => string) | undefined
}): ReactElement {
  return (
    <span className={css.buttons}>
      {copied !== undefined && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Copy ${what}`}
          onClick={() => {
            void copyAndTell(copied(), what)
          }}
        >
          Copy
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Download ${what}`}
        onClick={() => {
          download(content(), fileName)
        }}
      >
        Download
      </Button>
    </span>
  )
}

async function copyAndTell(text: string, what: string): Promise<void> {
  if (await copyText(text)) await toast(`Copied: ${what}.`)
}
