// Written by pkg-scripts/envoy/write-messages.ts from the definitions of Envoy and of gRPC (Apache-2.0). Do not edit it by hand.

/** The messages of `envoy.service.auth.v3` and `grpc.health.v1`, as far as they are read and written here. */
export const messageDescriptors = {
  nested: {
    envoy: {
      nested: {
        service: {
          nested: {
            auth: {
              nested: {
                v3: {
                  nested: {
                    CheckRequest: {
                      fields: {
                        attributes: {
                          type: '.envoy.service.auth.v3.AttributeContext',
                          id: 1,
                        },
                      },
                    },
                    AttributeContext: {
                      fields: {
                        source: {
                          type: '.envoy.service.auth.v3.AttributeContext.Peer',
                          id: 1,
                        },
                        request: {
                          type: '.envoy.service.auth.v3.AttributeContext.Request',
                          id: 4,
                        },
                      },
                      nested: {
                        Peer: {
                          fields: {
                            address: {
                              type: '.envoy.config.core.v3.Address',
                              id: 1,
                            },
                            certificate: {
                              type: 'string',
                              id: 5,
                            },
                          },
                        },
                        Request: {
                          fields: {
                            http: {
                              type: '.envoy.service.auth.v3.AttributeContext.HttpRequest',
                              id: 2,
                            },
                          },
                        },
                        HttpRequest: {
                          fields: {
                            method: {
                              type: 'string',
                              id: 2,
                            },
                            headers: {
                              keyType: 'string',
                              type: 'string',
                              id: 3,
                            },
                            headerMap: {
                              type: '.envoy.config.core.v3.HeaderMap',
                              id: 13,
                            },
                            path: {
                              type: 'string',
                              id: 4,
                            },
                            host: {
                              type: 'string',
                              id: 5,
                            },
                            scheme: {
                              type: 'string',
                              id: 6,
                            },
                          },
                        },
                      },
                    },
                    CheckResponse: {
                      fields: {
                        status: {
                          type: '.google.rpc.Status',
                          id: 1,
                        },
                        deniedResponse: {
                          type: '.envoy.service.auth.v3.DeniedHttpResponse',
                          id: 2,
                        },
                        okResponse: {
                          type: '.envoy.service.auth.v3.OkHttpResponse',
                          id: 3,
                        },
                        dynamicMetadata: {
                          type: '.google.protobuf.Struct',
                          id: 4,
                        },
                      },
                    },
                    DeniedHttpResponse: {
                      fields: {
                        status: {
                          type: '.envoy.type.v3.HttpStatus',
                          id: 1,
                        },
                        headers: {
                          rule: 'repeated',
                          type: '.envoy.config.core.v3.HeaderValueOption',
                          id: 2,
                        },
                        body: {
                          type: 'string',
                          id: 3,
                        },
                      },
                    },
                    OkHttpResponse: {
                      fields: {
                        headers: {
                          rule: 'repeated',
                          type: '.envoy.config.core.v3.HeaderValueOption',
                          id: 2,
                        },
                        headersToRemove: {
                          rule: 'repeated',
                          type: 'string',
                          id: 5,
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
        config: {
          nested: {
            core: {
              nested: {
                v3: {
                  nested: {
                    Address: {
                      fields: {
                        socketAddress: {
                          type: '.envoy.config.core.v3.SocketAddress',
                          id: 1,
                        },
                      },
                    },
                    SocketAddress: {
                      fields: {
                        address: {
                          type: 'string',
                          id: 2,
                        },
                      },
                    },
                    HeaderMap: {
                      fields: {
                        headers: {
                          rule: 'repeated',
                          type: '.envoy.config.core.v3.HeaderValue',
                          id: 1,
                        },
                      },
                    },
                    HeaderValue: {
                      fields: {
                        key: {
                          type: 'string',
                          id: 1,
                        },
                        value: {
                          type: 'string',
                          id: 2,
                        },
                        rawValue: {
                          type: 'bytes',
                          id: 3,
                        },
                      },
                    },
                    HeaderValueOption: {
                      fields: {
                        header: {
                          type: '.envoy.config.core.v3.HeaderValue',
                          id: 1,
                        },
                        append: {
                          type: '.google.protobuf.BoolValue',
                          id: 2,
                        },
                        appendAction: {
                          type: 'int32',
                          id: 3,
                        },
                        keepEmptyValue: {
                          type: 'bool',
                          id: 4,
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
        type: {
          nested: {
            v3: {
              nested: {
                HttpStatus: {
                  fields: {
                    code: {
                      type: 'int32',
                      id: 1,
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    google: {
      nested: {
        rpc: {
          nested: {
            Status: {
              fields: {
                code: {
                  type: 'int32',
                  id: 1,
                },
                message: {
                  type: 'string',
                  id: 2,
                },
              },
            },
          },
        },
        protobuf: {
          nested: {
            Struct: {
              fields: {
                fields: {
                  keyType: 'string',
                  type: '.google.protobuf.Value',
                  id: 1,
                },
              },
            },
            Value: {
              fields: {
                stringValue: {
                  type: 'string',
                  id: 3,
                },
              },
            },
            BoolValue: {
              fields: {
                value: {
                  type: 'bool',
                  id: 1,
                },
              },
            },
          },
        },
      },
    },
    grpc: {
      nested: {
        health: {
          nested: {
            v1: {
              nested: {
                HealthCheckRequest: {
                  fields: {
                    service: {
                      type: 'string',
                      id: 1,
                    },
                  },
                },
                HealthCheckResponse: {
                  fields: {
                    status: {
                      type: 'int32',
                      id: 1,
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
}

/** The numbers of `envoy.config.core.v3.HeaderValueOption.HeaderAppendAction`. */
export const headerAppendAction = {
  APPEND_IF_EXISTS_OR_ADD: 0,
  ADD_IF_ABSENT: 1,
  OVERWRITE_IF_EXISTS_OR_ADD: 2,
  OVERWRITE_IF_EXISTS: 3,
} as const

/** The numbers of `grpc.health.v1.HealthCheckResponse.ServingStatus`. */
export const servingStatus = {
  UNKNOWN: 0,
  SERVING: 1,
  NOT_SERVING: 2,
  SERVICE_UNKNOWN: 3,
} as const

/** `envoy.service.auth.v3.CheckRequest` */
export interface CheckRequest {
  readonly attributes?: {
    readonly source?: {
      readonly address?: {
        readonly socketAddress?: {
          readonly address?: string
        }
      }
      readonly certificate?: string
    }
    readonly request?: {
      readonly http?: {
        readonly method?: string
        readonly headers?: Readonly<Record<string, string>>
        readonly headerMap?: {
          readonly headers?: readonly {
            readonly key?: string
            readonly value?: string
            readonly rawValue?: Uint8Array
          }[]
        }
        readonly path?: string
        readonly host?: string
        readonly scheme?: string
      }
    }
  }
}

/** `envoy.service.auth.v3.CheckResponse` */
export interface CheckResponse {
  readonly status?: {
    readonly code?: number
    readonly message?: string
  }
  readonly deniedResponse?: {
    readonly status?: {
      readonly code?: number
    }
    readonly headers?: readonly HeaderValueOption[]
    readonly body?: string
  }
  readonly okResponse?: {
    readonly headers?: readonly HeaderValueOption[]
    readonly headersToRemove?: readonly string[]
  }
  readonly dynamicMetadata?: Struct
}

/** `envoy.config.core.v3.HeaderValueOption` */
export interface HeaderValueOption {
  readonly header?: {
    readonly key?: string
    readonly value?: string
    readonly rawValue?: Uint8Array
  }
  readonly append?: {
    readonly value?: boolean
  }
  readonly appendAction?: number
  readonly keepEmptyValue?: boolean
}

/** `google.protobuf.Struct` */
export interface Struct {
  readonly fields?: Readonly<
    Record<
      string,
      {
        readonly stringValue?: string
      }
    >
  >
}

/** `grpc.health.v1.HealthCheckRequest` */
export interface HealthCheckRequest {
  readonly service?: string
}
