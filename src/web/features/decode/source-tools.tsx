import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { copyText } from '../../ui/copy.ts'
import { download } from '../../ui/download.ts'
import { toast } from '../../ui/toast.ts'
import { envelopeFragment } from './envelope-link.ts'
import { itemText } from './item-text.ts'

/** Takes the envelope along: as text, as a file, as a link that carries it. */
export function SourceTools({
  item,
  input,
  link,
  isOnly,
}: {
  item: DecodedItem
  input: string | Uint8Array | Blob
  link: string | undefined
  isOnly: boolean
}): ReactElement {
  async function text(): Promise<string | undefined> {
    const found = itemText(await textOf(input), item, isOnly)
    if (found === undefined) {
      await toast('This one cannot be told apart from the rest of the input: take the whole of it.')
    }
    return found
  }

  async function copy(): Promise<void> {
    const found = await text()
    if (found !== undefined && (await copyText(found))) await toast('The envelope is copied.')
  }

  async function save(): Promise<void> {
    const found = await text()
    if (found !== undefined) download(found, 'attestation.json')
  }

  async function copyLink(): Promise<void> {
    if (link !== undefined) {
      if (await copyText(link)) await toast('The link is copied.')
      return
    }
    const fragment = envelopeFragment(await textOf(input))
    if (fragment === undefined) {
      await toast(
        'This is too large for a link: chats and mail programs would cut it. Send the file.',
      )
      return
    }
    const { origin, pathname, search } = location
    if (await copyText(`${origin}${pathname}${search}${fragment}`)) {
      await toast('The link is copied. It carries the envelope itself; no server is told of it.')
    }
  }

  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => void copy()}>
        Copy envelope
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => void save()}>
        Download envelope
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => void copyLink()}>
        Copy link
      </Button>
    </>
  )
}

async function textOf(input: string | Uint8Array | Blob): Promise<string> {
  if (typeof input === 'string') return input
  return input instanceof Blob ? input.text() : new TextDecoder().decode(input)
}
