import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { freePort, onLoopback } from '../free-port.test-support.ts'

/** A real identity provider (oidc-provider) on a port of its own, where signing in takes a name. */
export interface IdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Which groups somebody is in from now on. */
  readonly setGroups: (name: string, groups: readonly string[]) => void
  /** Who is signed in without being asked; undefined shows a form. */
  readonly setUser: (name: string | undefined) => void
  /** The product that its logout tokens go to. */
  readonly setLogoutTarget: (url: string) => void
  /** How many refresh tokens were exchanged. */
  readonly refreshes: () => number
  /** Ends everything that it has granted to somebody. */
  readonly revoke: () => void
  readonly close: () => Promise<void>
}

/** Starts it for a product at `publicUrl`, on a free port unless one is named. */
export async function startIdentityProvider(
  publicUrl: string,
  named?: number,
): Promise<IdentityProvider> {
  const server = createServer()
  const { url: issuer, close } = await onLoopback(server, named ?? (await freePort()))
  const clientId = 'sightline'
  const clientSecret = 'canary-client-secret-0a1b2c3d'
  const groups = new Map<string, readonly string[]>()
  let user: string | undefined = 'ann'
  let logoutTarget = ''
  let refreshes = 0
  let isRevoked = false

  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [`${publicUrl}/session/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
        backchannel_logout_uri: `${publicUrl}/session/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    scopes: ['openid', 'profile', 'offline_access'],
    claims: { openid: ['sub', 'groups'], profile: ['preferred_username'] },
    conformIdTokenClaims: false,
    issueRefreshToken: () => Promise.resolve(true),
    rotateRefreshToken: true,
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      revocation: { enabled: true },
    },
    // Its own one refuses addresses of this machine.
    fetch: (url, { method, headers, body } = {}) =>
      fetch((url instanceof Request ? url.url : url.toString()).replace(publicUrl, logoutTarget), {
        ...(method === undefined ? {} : { method }),
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
      }),
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    findAccount: (_context, sub) =>
      isRevoked
        ? undefined
        : {
            accountId: sub,
            claims: () => ({ sub, preferred_username: sub, groups: [...(groups.get(sub) ?? [])] }),
          },
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc
      const grant = new provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      })
      grant.addOIDCScope('openid profile offline_access')
      await grant.save()
      return grant
    },
  })
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.grant_type === 'refresh_token') refreshes++
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    if (pathname.startsWith('/login/')) {
      const name = searchParams.get('name') ?? user
      if (name !== undefined) {
        void provider.interactionFinished(request, response, { login: { accountId: name } })
        return
      }
      response.setHeader('content-type', 'text/html')
      response.end(
        '<form><label>Name <input name="name"></label> <button>Sign in at Acme</button></form>',
      )
    } else void answer(request, response)
  })
  return {
    issuer,
    clientId,
    clientSecret,
    setGroups: (name, list) => {
      groups.set(name, list)
    },
    setUser: (name) => {
      user = name
    },
    setLogoutTarget: (url) => {
      logoutTarget = url
    },
    refreshes: () => refreshes,
    revoke: () => {
      isRevoked = true
    },
    close,
  }
}
