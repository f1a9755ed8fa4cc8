import { hasUnseen } from './visible-text.ts'

/** An address that may become a link, and the host it must be shown with. */
export interface SafeLink {
  readonly href: string
  /** With its port, as the browser will read it: an international name in its ASCII form. */
  readonly host: string
}

/**
 * The link a text may become: only a whole http(s) address without credentials, blanks or hidden
 * characters. Everything else (`javascript:`, `data:`, `file:`, relative ones) is undefined and stays
 * text. Never throws.
 */
export function safeLink(text: string): SafeLink | undefined {
  if (text.length > longest || !/^https?:\/\/[^\s\\]+$/i.test(text)) return undefined
  if (hasUnseen(text) || !URL.canParse(text)) return undefined
  const { href, host, protocol, username, password } = new URL(text)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && host !== '' && username === '' && password === '' ? { href, host } : undefined
}

const longest = 8_192
