import { toast } from './toast.ts'

/**
 * Puts `text` on the clipboard and says whether that worked; browsers allow it only on pages served
 * by https or from this machine. A failure is told to the reader, with the text to copy by hand.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    await toast(`The browser does not let this page copy. To copy by hand: ${text}`)
    return false
  }
}
