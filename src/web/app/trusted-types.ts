import { basePath } from '../ui/base-path.ts'

/** What browsers that know trusted types have (W3C Trusted Types); the others have nothing. */
interface TrustedTypes {
  readonly createPolicy: (
    name: string,
    rules: Readonly<Record<'createHTML' | 'createScriptURL', (text: string) => string | null>>,
  ) => unknown
}

/**
 * Lets nothing but styles and this dashboard's own workers through where the page's policy asks for
 * trusted types (`require-trusted-types-for 'script'`): React and Mantine write style sheets as inner
 * HTML, and workers are started by address. Everything else that could run a script throws.
 */
const page: Window & { readonly trustedTypes?: TrustedTypes } = window
page.trustedTypes?.createPolicy('default', {
  createHTML: (text) => (text.includes('<') ? null : text),
  createScriptURL: (text) => {
    const { origin, pathname } = new URL(text, location.href)
    const isOwn = pathname.startsWith(`${basePath}assets/`) || pathname === '/wall-worker.js'
    return origin === location.origin && isOwn ? text : null
  },
})
