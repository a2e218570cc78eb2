// Modules that vite.config.ts makes from the sources of f3.

declare module 'f3:colours.css';

declare module 'f3:fusion-fields' {
  export interface FormField {
    name: import('../src/fuse/fusion-config.ts').FusionField;
    description: string;
    type: 'string' | 'boolean' | 'integer' | 'number';
    choices?: string[];
    minimum?: number;
    maximum?: number;
    exclusiveMaximum?: number;
    /** The field does something only where each of these fields has one of these values. */
    purposes: { field: string; values: string[] }[];
  }
  export const FIELDS: FormField[];
  export const PRESETS: Record<
    import('../src/fuse/fusion-config.ts').FusionPreset,
    import('../src/fuse/fusion-config.ts').FusionConfig
  >;
}

declare module 'f3:quotas' {
  export const QUOTAS: Record<string, { standard: number; isBytes?: boolean; says: string }>;
}

declare module '*.css';

declare module 'graphology-layout-forceatlas2/iterate' {
  /** One step of the layout; it moves nodes in their matrix. */
  export default function iterate(settings: object, nodes: Float32Array, edges: Float32Array): object;
}
