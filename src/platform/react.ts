/**
 * What source means by `react`: Preact's core and hooks. Not preact/compat, which comes later, with the router in the
 * signed-in part: without it the login form's script is 1.3 kB brotli smaller.
 */
export { Component, createElement, Fragment } from 'preact';
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
