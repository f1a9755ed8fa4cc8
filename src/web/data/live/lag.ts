/**
 * What to add to this browser's clock to get the proxy's, ms, from what the proxy says the time is
 * in a message that arrived at `receivedAt` (epoch ms, this browser's clock). Too small by the
 * time the message took, so that a lag reckoned with it is never overstated.
 */
export function clockDifference(proxyNow: number, receivedAt: number): number {
  return proxyNow - receivedAt
}

/**
 * How long a build took from the server to this browser, ms: from `timestamp`, when the server had
 * processed it, to `receivedAt` by this browser's clock, which is `difference` ms behind the
 * proxy's. Never negative, as a server whose clock is ahead delivers nothing before its time.
 */
export function behindMs(timestamp: number, receivedAt: number, difference: number): number {
  return Math.max(0, receivedAt + difference - timestamp)
}
