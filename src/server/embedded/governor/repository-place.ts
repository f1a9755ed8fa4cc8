/**
 * Where a repository is, one text for all spellings of it: host and path without the scheme, without
 * a slash at the end and without `..`. `repositoryUrl` is one that a body may hold
 * (package-request.ts); what permissions are compared with must not depend on how it was typed.
 */
export function repositoryPlace(repositoryUrl: string): string {
  const text = repositoryUrl.trim()
  const { host, pathname, search } = new URL(text.includes('://') ? text : `https://${text}`)
  return `${host}${pathname.replace(/\/+$/, '')}${search}`
}
