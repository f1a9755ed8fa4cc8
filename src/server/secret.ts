/**
 * A credential that cannot be printed by accident: in a template, in JSON, in a log and in an
 * inspector it shows as `[secret]`. Whoever needs it says so by calling `reveal`.
 */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]'
  }
}
