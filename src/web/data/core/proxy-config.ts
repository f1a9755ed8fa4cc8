import { queryOptions } from '@tanstack/react-query'
import { configPath, ProxyConfig } from '../../../protocol/proxy-config.ts'
import type { Request } from './request.ts'

/** How the proxy is set up; it does not change while the proxy runs. */
export function configQuery(request: Request) {
  return queryOptions({
    queryKey: ['config'],
    queryFn: ({ signal }) => request(configPath, ProxyConfig, { signal }),
    staleTime: Infinity,
  })
}
