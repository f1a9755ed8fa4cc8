import { createContext, useContext } from 'react'
import type { Request } from './request.ts'

/** The way to the proxy that the entry (web/app) made. */
export const RequestContext = createContext<Request | undefined>(undefined)

/** The page's way to the proxy, for queries. Throws an Error outside a RequestContext. */
export function useRequest(): Request {
  const request = useContext(RequestContext)
  if (request === undefined) throw new Error('useRequest needs a RequestContext above it')
  return request
}
