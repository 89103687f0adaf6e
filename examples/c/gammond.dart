// gammond for Dart and Flutter by dart:ffi and package:ffi: requests as text.
//   dart run gammond.dart PATH_OF_THE_LIBRARY
import 'dart:convert';
import 'dart:ffi';
import 'dart:io';
import 'package:ffi/ffi.dart';

typedef _OpenC = Int32 Function(Pointer<Void>, Pointer<Uint64>);
typedef _Open = int Function(Pointer<Void>, Pointer<Uint64>);
typedef _CloseC = Int32 Function(Uint64);
typedef _Close = int Function(int);
typedef _AskC = Int32 Function(Uint64, Pointer<Uint8>, Size, Uint64, Pointer<Pointer<Uint8>>, Pointer<Size>);
typedef _Ask = int Function(int, Pointer<Uint8>, int, int, Pointer<Pointer<Uint8>>, Pointer<Size>);
typedef _FreeC = Int32 Function(Pointer<Uint8>);
typedef _Free = int Function(Pointer<Uint8>);
typedef _Text = Pointer<Utf8> Function();

/// An engine with its nets inside. Calls block: an isolate of its own keeps the screen free.
class Engine {
  Engine(DynamicLibrary library)
      : _close = library.lookupFunction<_CloseC, _Close>('gammond_close'),
        _ask = library.lookupFunction<_AskC, _Ask>('gammond_ask'),
        _free = library.lookupFunction<_FreeC, _Free>('gammond_free'),
        _reason = library.lookupFunction<_Text, _Text>('gammond_error_text') {
    final handle = calloc<Uint64>();
    _check(library.lookupFunction<_OpenC, _Open>('gammond_open')(nullptr, handle));
    _handle = handle.value;
    calloc.free(handle);
  }

  final _Close _close;
  final _Ask _ask;
  final _Free _free;
  final _Text _reason;
  late final int _handle;

  void _check(int code) {
    if (code != 0) throw StateError(_reason().toDartString());
  }

  /// Answers lines of the request protocol by a line each: JSON.
  String ask(String lines) {
    final bytes = utf8.encode(lines);
    final text = calloc<Uint8>(bytes.length + 1);
    final answer = calloc<Pointer<Uint8>>();
    final length = calloc<Size>();
    try {
      text.asTypedList(bytes.length).setAll(0, bytes);
      _check(_ask(_handle, text, bytes.length, 0, answer, length));
      return utf8.decode(answer.value.asTypedList(length.value));
    } finally {
      if (answer.value != nullptr) _free(answer.value);
      calloc.free(text);
      calloc.free(answer);
      calloc.free(length);
    }
  }

  void close() => _check(_close(_handle));
}

void main(List<String> arguments) {
  final engine = Engine(DynamicLibrary.open(arguments.isEmpty ? 'libgammond.so' : arguments.first));
  stdout.write(engine.ask('4HPwATDgc/ABMA 31 top=1\n'));
  engine.close();
}
