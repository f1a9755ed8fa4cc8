// What of prom-client the proxy uses: nobody scrapes a demo, so that nothing is counted in it.

class Measure {
  inc(): void {
    // Nothing is counted.
  }
  set(): void {
    // Nothing is counted.
  }
  observe(): void {
    // Nothing is counted.
  }
  reset(): void {
    // Nothing is counted.
  }
}

export { Measure as Counter, Measure as Gauge, Measure as Histogram }

export class Registry {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8'
  metrics(): Promise<string> {
    return Promise.resolve('')
  }
}
