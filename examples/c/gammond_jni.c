// The bridge of Gammond.kt: one function of Java for a request in text.
//   cc -shared -fPIC -I$JAVA_HOME/include -I$JAVA_HOME/include/linux gammond_jni.c -lgammond -o libgammond_jni.so
#include <gammond.h>
#include <jni.h>
#include <stdlib.h>

static void fail(JNIEnv *env) {
  jclass kind = (*env)->FindClass(env, "java/lang/IllegalArgumentException");
  if (kind) (*env)->ThrowNew(env, kind, gammond_error_text());
}

JNIEXPORT jlong JNICALL Java_gammond_Native_open(JNIEnv *env, jclass self) {
  (void)self;
  uint64_t engine = 0;
  if (gammond_open(NULL, &engine) != GAMMOND_OK) fail(env);
  return (jlong)engine;
}

JNIEXPORT void JNICALL Java_gammond_Native_close(JNIEnv *env, jclass self, jlong engine) {
  (void)self;
  if (gammond_close((uint64_t)engine) != GAMMOND_OK) fail(env);
}

// Bytes, as Java's own text is another UTF-8.
JNIEXPORT jbyteArray JNICALL Java_gammond_Native_ask(JNIEnv *env, jclass self, jlong engine, jbyteArray lines) {
  (void)self;
  jsize length = (*env)->GetArrayLength(env, lines);
  jbyte *bytes = (*env)->GetByteArrayElements(env, lines, NULL);
  if (!bytes) return NULL;
  char *answer = NULL;
  size_t answer_length = 0;
  GammondCode code = gammond_ask((uint64_t)engine, (const char *)bytes, (size_t)length, 0, &answer, &answer_length);
  (*env)->ReleaseByteArrayElements(env, lines, bytes, JNI_ABORT);
  if (code != GAMMOND_OK) {
    fail(env);
    return NULL;
  }
  jbyteArray result = (*env)->NewByteArray(env, (jsize)answer_length);
  if (result) (*env)->SetByteArrayRegion(env, result, 0, (jsize)answer_length, (const jbyte *)answer);
  gammond_free(answer);
  return result;
}
