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

declare namespace NodeJS {
  interface Process {
    readonly execve?: (file: string, args: readonly string[], env: Record<string, string>) => never
  }
}
