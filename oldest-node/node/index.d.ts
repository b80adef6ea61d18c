/// <reference types="node-22" preserve="true" />

// The types of the oldest Node that runs the bundles, and what they leave out.

declare module 'http' {
  interface ServerOptions {
    requireHostHeader?: boolean
  }
}

declare module 'node:util' {
  function styleText(format: string, text: string, options: { stream: NodeJS.WritableStream }): string
}

// Newer, so that it has to be looked for before it is used.

declare module 'node:tls' {
  const getCACertificates: ((store: 'default' | 'system') => string[]) | undefined
}

declare module 'node:ffi' {
  interface Signature {
    readonly arguments: readonly string[]
    readonly return: string
  }
  type Values = {
    i32: number
    u32: number
    u8: number
    u16: number
    i64: bigint
    u64: bigint
    pointer: bigint
    void: undefined
  }
  type Argument<T> = T extends 'pointer'
    ? bigint | NodeJS.ArrayBufferView | null
    : T extends keyof Values
      ? Values[T]
      : never
  type Arguments<A extends readonly string[]> = { -readonly [I in keyof A]: Argument<A[I]> }
  type Result<R extends string> = R extends keyof Values ? Values[R] : never
  type Functions<T extends Record<string, Signature>> = {
    [K in keyof T]: (...args: Arguments<T[K]['arguments']>) => Result<T[K]['return']>
  }
  function dlopen<const T extends Record<string, Signature>>(
    path: string,
    definitions: T,
  ): { lib: { getSymbol(name: string): bigint }; functions: Functions<T> }
  function getRawPointer(source: NodeJS.ArrayBufferView): bigint
  function getUint32(pointer: bigint, offset?: number): number
  function getUint64(pointer: bigint, offset?: number): bigint
  function toBuffer(pointer: bigint, length: number): Buffer
}

declare namespace NodeJS {
  interface Process {
    readonly execve?: (file: string, args: readonly string[], env: Record<string, string>) => never
  }
}
